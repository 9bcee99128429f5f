"""Tasks done on this machine: in this process, or in several."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.io.drafts import remove_abandoned
from linnet.link.linker import Linker
from linnet.scale.journal import ChunkRecord
from linnet.scale.retries import MAX_ATTEMPTS
from linnet.scale.scan import Scan
from linnet.scale.worker import Job, Task, Worker
from linnet.system.processes import CONTEXT, answer_tasks, pack

__all__ = ["InProcess", "ProcessPool"]


class InProcess:
    """One task after the other, in this process."""

    workers = 1

    def __init__(self, linker: Linker) -> None:
        self._linker = linker

    def run(self, job: Job, tasks: Sequence[Task]) -> Iterator[Scan | ChunkRecord]:
        """See `Engine.run`."""
        yield from map(Worker(job, self._linker), tasks)


class ProcessPool:
    """A task at a time for each process. Each process opens its linker once; all map the same files.

    A killed process is replaced and its task repeated; the others go on.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, job: Job, tasks: Sequence[Task]) -> Iterator[Scan | ChunkRecord]:
        """See `Engine.run`. Raises RequestError where process after process dies over one task, and where memory runs out."""
        waiting = deque(tasks)
        deaths: Counter[str] = Counter()
        pool: list[_WorkerProcess] = []
        try:
            self._assign(pool, waiting, job)
            while busy := {worker.connection: worker for worker in pool if worker.task is not None}:
                for connection in wait(list(busy)):
                    worker = busy[connection]  # type: ignore[index]
                    task, outcome = worker.task, worker.result()
                    if isinstance(outcome, MemoryError):
                        raise RequestError(
                            f"Not enough memory for {self.workers} processes.",
                            Step.FEWER_JOBS(),
                        )
                    if isinstance(outcome, Exception):
                        raise outcome
                    if outcome is None and task is not None:
                        pool.remove(worker)
                        deaths[task.name] += 1
                        _check_deaths(task, deaths[task.name], worker.end())
                        waiting.appendleft(task)
                    self._assign(pool, waiting, job)  # before yielding, so that no process is idle meanwhile
                    if outcome is not None:
                        yield outcome
        finally:
            for worker in pool:
                worker.end()

    def _assign(self, pool: list[_WorkerProcess], waiting: deque[Task], job: Job) -> None:
        """Give tasks to idle processes, and to new ones while there are too few."""
        idle = [worker for worker in pool if worker.task is None]
        while waiting and (idle or len(pool) < self.workers):
            if not idle:
                idle.append(_WorkerProcess(job))
                pool += idle
            idle.pop().give(waiting.popleft())


class _WorkerProcess:
    """A process with a `Worker`.

    task        in work, None while idle
    connection  readable as soon as the task is done or the process dead
    """

    def __init__(self, job: Job) -> None:
        self.task: Task | None = None
        self._output = Path(job.output)
        self.connection, theirs = CONTEXT.Pipe()
        self._process = CONTEXT.Process(target=answer_tasks, args=(pack(Worker, job), theirs), daemon=True)
        self._process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        """Begin a task. `result` reports if the process is dead."""
        self.task = task
        with suppress(OSError):
            self.connection.send(task)

    def result(self) -> Scan | ChunkRecord | Exception | None:
        """Wait for the task's result or exception; None where the process is dead."""
        try:
            outcome: Scan | ChunkRecord | Exception = self.connection.recv()
        except (EOFError, OSError):
            return None
        self.task = None
        return outcome

    def end(self) -> int:
        """End the process at once, if it lives, and remove its draft. Returns the exit code, minus the signal if killed."""
        self._process.terminate()
        self._process.join()
        self.connection.close()
        if self.task is not None:
            remove_abandoned(self._output / self.task.name, young=True)
        return self._process.exitcode or 0


def _check_deaths(task: Task, deaths: int, code: int) -> None:
    """Raise RequestError after too many deaths: a process that dies before it begins leaves no recorded attempt."""
    if deaths > MAX_ATTEMPTS:
        raise RequestError(
            f"{task.name}: {deaths} processes died over this task, the last with exit code {code}. Usually the machine is "
            "short of memory (see its system log).",
            Step.FEWER_JOBS(),
        )
