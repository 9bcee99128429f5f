"""Tasks done on this machine: in this process, or in several."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from threading import Thread

from linnet.link.linker import Linker
from linnet.scale.journal import Done
from linnet.scale.survey import Survey
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

    Where one of them is killed the pool is made anew and what was not finished is done again.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, job: Job, tasks: Sequence[Task]) -> Iterator[Survey | Done]:
        """See `Engine.run`."""
        left = list(tasks)
        while left:
            unfinished: list[Task] = []
            yield from self._pool(job, left, unfinished)
            left = unfinished

    def _pool(self, job: Job, tasks: Sequence[Task], unfinished: list[Task]) -> Iterator[Survey | Done]:
        """Results until all is done or a process dies; what is not done by then goes to `unfinished`."""
        pool = ProcessPoolExecutor(
            min(self.workers, len(tasks)),
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(job,),
        )
        waiting = list(reversed(tasks))
        running: dict[Future[Survey | Done], Task] = {}
        try:
            while waiting or running:
                # One more than there are processes, so that none waits for its next task.
                while waiting and len(running) <= self.workers:
                    task = waiting.pop()
                    running[pool.submit(_do, task)] = task
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    result = future.result()
                    del running[future]
                    yield result
        except BrokenProcessPool:
            unfinished += [*running.values(), *reversed(waiting)]
        finally:
            _end(pool)


def _end(pool: ProcessPoolExecutor) -> None:
    """Stop at once: parts that are not finished are under temporary names."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


_worker: Worker | None = None


def _start(job: Job) -> None:
    """In a new process. Ctrl-C is for the process that started it; with that one gone, so is this."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()
    _worker = Worker(job)


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _do(task: Task) -> Survey | Done:
    assert _worker is not None
    return _worker(task)
