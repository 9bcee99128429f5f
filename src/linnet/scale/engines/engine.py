"""What does the work: processes of this machine, or of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from linnet.scale.journal import Done
from linnet.scale.scan import Survey
from linnet.scale.work import Job, Task

__all__ = ["Engine"]


class Engine(Protocol):
    """Schedules tasks; what a task does, and so the output, is `Worker`'s alone and the same for all engines."""

    @property
    def workers(self) -> int:
        """How many tasks are done at a time."""
        ...

    def run(self, job: Job, tasks: Sequence[Task]) -> Iterator[Survey | Done]:
        """The result of every task, as they come in.

        Tasks of a worker that dies are given to another. The first LinnetError of a task is raised, and work that
        has not begun is dropped; so it is when the iterator is closed.
        """
        ...
