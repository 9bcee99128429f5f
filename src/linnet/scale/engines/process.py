"""A process that does one task at a time."""

from __future__ import annotations

from contextlib import suppress

from linnet.processes import CONTEXT, answer_tasks, pack
from linnet.scale.journal import Done
from linnet.scale.scan import Survey
from linnet.scale.work import Job, Task, Worker

__all__ = ["WorkerProcess"]


class WorkerProcess:
    """A process of its own with a `Worker`.

    task        what it is at, None while it has nothing to do
    connection  something can be read from it as soon as the task is done, or the process dead
    """

    def __init__(self, job: Job) -> None:
        self.task: Task | None = None
        self.connection, theirs = CONTEXT.Pipe()
        self._process = CONTEXT.Process(target=answer_tasks, args=(pack(Worker, job), theirs), daemon=True)
        self._process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        """Begin a task. Of a process that is dead the answer will say so."""
        self.task = task
        with suppress(OSError):
            self.connection.send(task)

    def answer(self) -> Survey | Done | Exception | None:
        """The result of its task, or what was raised, waited for; None where the process is dead."""
        try:
            outcome: Survey | Done | Exception = self.connection.recv()
        except (EOFError, OSError):
            return None
        self.task = None
        return outcome

    def end(self) -> int:
        """End it at once, if it is not dead; its exit code, negative the number of the signal that ended it."""
        self._process.terminate()
        self._process.join()
        self.connection.close()
        return self._process.exitcode or 0
