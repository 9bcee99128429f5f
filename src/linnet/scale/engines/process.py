"""A process that does one task at a time, and says nothing when it dies."""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Thread

from linnet.errors import LinnetError
from linnet.scale.journal import Done
from linnet.scale.survey import Survey
from linnet.scale.work import Job, Task, Worker
from linnet.shortage import short_of_memory

__all__ = ["WorkerProcess"]

# Not a copy of this process, which would have its locks, but not its threads.
_CONTEXT = multiprocessing.get_context("spawn")


class WorkerProcess:
    """A process of its own with a `Worker`.

    task        what it is at, None while it has nothing to do
    connection  something can be read from it as soon as the task is done, or the process dead
    """

    def __init__(self, job: Job) -> None:
        self.task: Task | None = None
        self.connection, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_work, args=(job, theirs), daemon=True)
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


def _work(job: Job, connection: Connection) -> None:
    """In the new process. Ctrl-C is for the process that started it; with that one gone, so is this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()
    worker = Worker(job)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        try:
            outcome: object = worker(task)
        except LinnetError as error:
            outcome = error
        except Exception as error:
            short = short_of_memory(error)
            outcome = (
                MemoryError()
                if short
                else RuntimeError(f"A process that links failed:\n{traceback.format_exc()}")
            )
        connection.send(outcome)


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
