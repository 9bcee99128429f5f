"""The scheduler of the linking threads: a fair queue, from which small requests that wait are linked in one call.

No request waits for others to join it: tasks gather while threads are busy, and a free thread takes as many as stay quick
together. One call with 16 mentions was measured to take a third to a quarter of the time of 16 calls.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from linnet.http.refusals import Unavailable
from linnet.serve.fair_queue import FairQueue
from linnet.serve.metrics import Metrics
from linnet.serve.snapshot import Snapshot
from linnet.serve.tasks import Result, Task
from linnet.system.memory_errors import short_of_memory

__all__ = ["Scheduler"]

_LOG = logging.getLogger("linnet.serve")
_JOINED_COST = 200.0  # up to which tasks are joined in one call
_LARGE_COST = 600.0  # from which a task may not occupy the last free thread


@dataclass(eq=False, slots=True)
class _Job:
    task: Task
    snapshot: Snapshot
    future: asyncio.Future[Result]
    queued: float = field(default_factory=time.perf_counter)
    alone: bool = False

    @property
    def kind(self) -> tuple[object, ...]:
        return (id(self.snapshot), *self.task.kind)


class Scheduler:
    """Links in `threads` threads. All methods are called in the thread of the event loop."""

    def __init__(self, *, threads: int, metrics: Metrics) -> None:
        self._free, self._threads = threads, threads
        self._running_large = 0
        self._queue: FairQueue[_Job] = FairQueue()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="linnet-link")
        self._metrics = metrics

    async def run(self, task: Task, snapshot: Snapshot, *, flow: str) -> Result:
        """The result of a task. A task that is cancelled while it waits does not run.

        flow  whose task it is: flows take turns

        Raises Unavailable where memory runs out, and what linking raises.
        """
        job = _Job(task, snapshot, asyncio.get_running_loop().create_future())
        self._queue.put(job, flow=flow, cost=task.cost)
        self._dispatch()
        try:
            return await job.future
        finally:
            if job.future.cancelled():
                self._queue.drop(job)

    @property
    def busy(self) -> bool:
        """Whether a thread is running a task, abandoned or not."""
        return self._free < self._threads

    def close(self) -> None:
        """Start no further task; running ones finish in the background."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _dispatch(self) -> None:
        while self._free and (jobs := self._next()):
            self._start(jobs)

    def _next(self) -> list[_Job]:
        """Jobs to run now, in one call."""
        large_may_run = self._running_large < max(1, self._threads - 1)
        chosen: list[_Job] = []
        cost = 0.0
        for job in self._queue.ordered():
            if job.task.cost > _LARGE_COST and not large_may_run:
                continue
            if chosen and (job.alone or job.kind != chosen[0].kind or cost + job.task.cost > _JOINED_COST):
                continue
            chosen.append(job)
            cost += job.task.cost
            if job.alone or cost >= _JOINED_COST:
                break
        for job in chosen:
            self._queue.take(job)
        return chosen

    def _start(self, jobs: list[_Job]) -> None:
        large = sum(job.task.cost for job in jobs) > _LARGE_COST
        self._free -= 1
        self._running_large += large
        now = time.perf_counter()
        for job in jobs:
            self._metrics.queue_seconds.observe(now - job.queued)
        self._metrics.linked_together.observe(len(jobs))
        loop = asyncio.get_running_loop()
        running = loop.run_in_executor(self._pool, _run, jobs[0].snapshot, [job.task for job in jobs])
        running.add_done_callback(lambda future: self._finish(jobs, future, large))

    def _finish(self, jobs: list[_Job], results: asyncio.Future[list[Result]], large: bool) -> None:
        self._free += 1
        self._running_large -= large
        if results.cancelled():
            for job in jobs:
                job.future.cancel()
            return
        error = results.exception()
        if error is None:
            for job, result in zip(jobs, results.result(), strict=True):
                if not job.future.done():
                    job.future.set_result(result)
                self._metrics.mentions.inc(result.mentions)
                self._metrics.mentions_linked.inc(result.linked)
        elif len(jobs) > 1:
            # One of them fails. Each is retried alone, so that the others do not fail with it.
            for job in jobs:
                if not job.future.done():
                    job.alone = True
                    self._queue.put(job, flow="", cost=0.0)
        elif not jobs[0].future.done():
            if short_of_memory(error):
                _LOG.error("out of memory in a request of cost %.0f", jobs[0].task.cost)
                error = Unavailable(
                    "The server does not have enough memory for this request.",
                    next_step="Send less at once.",
                    retry_after=5,
                )
            jobs[0].future.set_exception(error)
        self._dispatch()


def _run(snapshot: Snapshot, tasks: Sequence[Task]) -> list[Result]:
    return type(tasks[0]).run(snapshot, tasks)  # type: ignore[arg-type]
