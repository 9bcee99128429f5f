"""Batches: JSON lines in, one line out for each, in the same order.

    line reader ──► chunks ──► scheduler ──► spool ──► client

A chunk holds lines that are quick to link in one call; mentions of one document stay together, up to the limits of one
request. At most three chunks of a batch are processed at once; reading pauses meanwhile, and while the spool is full. A line
that cannot be read is answered in its place: {"line": 7, "problem": {…}}.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from fastapi.responses import Response
from pydantic_core import to_json
from starlette.types import Message, Receive, Scope, Send

from linnet.errors import LinnetError
from linnet.http.refusals import Invalid, Refusal
from linnet.serve.chunks import Chunk, Item, read_chunks
from linnet.serve.line_reader import LineReader
from linnet.serve.metrics import Metrics
from linnet.serve.problems import failed, problem_of
from linnet.serve.response_models import ProblemLine
from linnet.serve.scheduler import Scheduler
from linnet.serve.settings import Limits
from linnet.serve.snapshot import Snapshot
from linnet.serve.spool import Spool
from linnet.serve.tasks import Result, Task
from linnet.serve.timeouts import Disconnected

__all__ = ["MEDIA_TYPE", "BatchResponse"]

MEDIA_TYPE = "application/x-ndjson"
_AHEAD = 1  # chunks being linked, besides the one being written and the one being read
_LOG = logging.getLogger("linnet.serve")


class BatchResponse(Response):
    """The answer to a batch.

    read    the item of a line's JSON value; raises ValidationError
    task    makes the task that links items
    flow    the batch's owner, for the scheduler
    ending  whether the server is ending: it answers the lines it has read, and reads no more
    """

    media_type = MEDIA_TYPE

    def __init__(
        self,
        *,
        read: Callable[[Any], Item],
        task: Callable[[list[Any]], Task],
        snapshot: Snapshot,
        scheduler: Scheduler,
        metrics: Metrics,
        limits: Limits,
        flow: str,
        ending: Callable[[], bool],
    ) -> None:
        super().__init__(None)
        del self.headers["content-length"]
        self._read, self._task = read, task
        self._snapshot, self._scheduler, self._metrics, self._limits = snapshot, scheduler, metrics, limits
        self._flow, self._ending = flow, ending

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer while the request is still arriving, until the client disconnects or stops reading."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        started = False
        spool = Spool(max_bytes=self._limits.spool)
        lines = LineReader(
            receive, max_bytes=self._limits.body, seconds=6 * self._limits.read_timeout, ending=self._ending
        )

        async def send_in_time(message: Message) -> None:
            sending = asyncio.ensure_future(send(message))
            try:
                while not (await asyncio.wait({sending}, timeout=self._limits.write_timeout))[0]:
                    # Most clients do not read while they send.
                    if spool.full or not lines.reading:
                        raise Disconnected
                await sending
            finally:
                sending.cancel()

        try:
            async with asyncio.TaskGroup() as group:
                answering = group.create_task(self._answer(lines, spool))
                while data := await spool.get():
                    # Not earlier: a client may wait for "100 Continue", which reading its first piece sends.
                    if not started:
                        started = True
                        await send_in_time(start)
                    await send_in_time({"type": "http.response.body", "body": data, "more_body": True})
                answering.cancel()
            if not started:
                await send_in_time(start)
            await send_in_time({"type": "http.response.body", "body": b"", "more_body": False})
        except* Disconnected:
            pass
        finally:
            lines.close()
            spool.close()

    async def _answer(self, lines: LineReader, spool: Spool) -> None:
        """Put answers into the spool until there are no more lines, then wait until the client disconnects."""
        waiting: asyncio.Queue[tuple[Chunk, asyncio.Task[Result | Refusal] | None] | None] = asyncio.Queue(
            _AHEAD
        )

        async def write() -> None:
            while (entry := await waiting.get()) is not None:
                chunk, linking = entry
                await spool.put(self._written(chunk, None if linking is None else await linking))

        async with asyncio.TaskGroup() as group:
            writing = group.create_task(write())
            async for chunk in read_chunks(lines, read=self._read, cost=self._cost, limits=self._limits):
                items = [item for _, item in chunk.items if not isinstance(item, Refusal)]
                linking = group.create_task(self._linked(items)) if items else None
                await waiting.put((chunk, linking))
            await waiting.put(None)
            await writing
            if lines.stopped is not None:
                await spool.put(self._problem(lines.number + 1, lines.stopped))
            spool.end()
        await lines.disconnected()
        raise Disconnected

    def _cost(self, items: list[Item]) -> float:
        return self._task(items).cost

    async def _linked(self, items: list[Item]) -> Result | Refusal:
        try:
            return await self._scheduler.run(self._task(items), self._snapshot, flow=self._flow)
        except Refusal as refusal:
            return refusal
        except LinnetError as error:
            return Invalid(error.happened, *error.advice)
        except Exception:
            _LOG.exception("a chunk of a batch failed")
            return failed()

    def _written(self, chunk: Chunk, result: Result | Refusal | None) -> bytes:
        answers = iter(result.answers) if isinstance(result, Result) else iter(())
        lines, refused = [], 0
        for number, item in chunk.items:
            refusal = item if isinstance(item, Refusal) else result
            if isinstance(refusal, Refusal):
                lines.append(self._problem(number, refusal))
                refused += 1
            else:
                lines.append(to_json(next(answers) | {"snapshot": self._snapshot.digest}) + b"\n")
        self._metrics.batch_lines.labels("answered").inc(len(chunk.items) - refused)
        self._metrics.batch_lines.labels("refused").inc(refused)
        return b"".join(lines)

    def _problem(self, number: int, refusal: Refusal) -> bytes:
        line = ProblemLine(line=number, problem=problem_of(refusal), snapshot=self._snapshot.digest)
        return line.model_dump_json(exclude_unset=True).encode() + b"\n"
