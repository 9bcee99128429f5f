"""Tasks done on this machine: in this process, or in several."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait
from pathlib import Path

from linnet.drafts import remove_abandoned
from linnet.errors import RequestError
from linnet.link.linker import Linker
from linnet.scale.engines.process import WorkerProcess
from linnet.scale.journal import Done
from linnet.scale.retries import MOST
from linnet.scale.scan import Survey
from linnet.scale.work import Job, Task, Worker

__all__ = ["Here", "Processes"]


class Here:
    """One task after the other, in this process."""

    workers = 1

    def __init__(self, linker: Linker) -> None:
        self._linker = linker

    def run(self, job: Job, tasks: Sequence[Task]) -> Iterator[Survey | Done]:
        """See `Engine.run`."""
        yield from map(Worker(job, self._linker), tasks)


class Processes:
    """As many tasks at a time as there are processes; each opens its linker once, over the same mapped files.

    Where one of them is killed another takes its place, and its task; those of the others go on.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, job: Job, tasks: Sequence[Task]) -> Iterator[Survey | Done]:
        """See `Engine.run`. Raises RequestError where process after process dies over one task."""
        left = deque(tasks)
        deaths: Counter[str] = Counter()
        crew: list[WorkerProcess] = []
        try:
            self._employ(crew, left, job)
            while busy := {worker.connection: worker for worker in crew if worker.task is not None}:
                for connection in wait(list(busy)):
                    worker = busy[connection]  # type: ignore[index]
                    task, outcome = worker.task, worker.answer()
                    if isinstance(outcome, MemoryError):
                        raise RequestError(
                            f"Not enough memory for {self.workers} processes. Link with fewer --jobs, or on a larger "
                            "machine: --resume goes on."
                        )
                    if isinstance(outcome, Exception):
                        raise outcome
                    if outcome is None and task is not None:
                        crew.remove(worker)
                        deaths[task.name] += 1
                        _check(task, deaths[task.name], _end(worker, job))
                        left.appendleft(task)
                    self._employ(crew, left, job)  # nobody waits until the result is taken
                    if outcome is not None:
                        yield outcome
        finally:
            for worker in crew:
                _end(worker, job)

    def _employ(self, crew: list[WorkerProcess], left: deque[Task], job: Job) -> None:
        """Give tasks to whoever has none, and to new processes while there are too few."""
        idle = [worker for worker in crew if worker.task is None]
        while left and (idle or len(crew) < self.workers):
            if not idle:
                idle.append(WorkerProcess(job))
                crew += idle
            idle.pop().give(left.popleft())


def _end(worker: WorkerProcess, job: Job) -> int:
    """End a process, and remove what it had begun to write; its exit code."""
    code = worker.end()
    if worker.task is not None:
        remove_abandoned(Path(job.output) / worker.task.name, young=True)
    return code


def _check(task: Task, deaths: int, code: int) -> None:
    """Raises RequestError after more deaths than attempts: what ends a process before it has begun is noted nowhere else."""
    if deaths > MOST:
        raise RequestError(
            f"{deaths} processes that were to do {task.name} died, the last one with exit code {code}: most often the machine is "
            "short of memory (see its system log). Link with fewer --jobs, or on a larger machine: --resume goes on."
        )
