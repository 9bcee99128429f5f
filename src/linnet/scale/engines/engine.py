"""The contract of an engine: processes of this machine, or of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from linnet.scale.journal import ChunkRecord
from linnet.scale.scan import Scan
from linnet.scale.worker import Job, Task

__all__ = ["Engine"]


class Engine(Protocol):
    """Schedules tasks. `Worker` alone decides what a task does, so all engines give the same output."""

    @property
    def workers(self) -> int:
        """Number of tasks done at a time."""
        ...

    def run(self, job: Job, tasks: Sequence[Task]) -> Iterator[Scan | ChunkRecord]:
        """The results of the tasks, in the order of completion.

        A dead worker's tasks go to another. The first LinnetError of a task is raised. Tasks that have not begun are then
        dropped, as they are when the iterator is closed.
        """
        ...
