"""Batches: lines of JSON in, a line for each out, in their order, however many there are.

    reader ── lines ──► chunks ── engine ──► outbox ──► sender

A chunk holds what is quick to link together; mentions of one document are not divided, up to what one request may
hold. Three chunks of a batch at most are with the engine; while they are, and while the outbox is full, nothing more is
read. A line that cannot be read is answered in its place: {"line": 7, "problem": {…}}.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

from fastapi.responses import Response
from starlette.types import Receive, Scope, Send

from linnet.errors import LinnetError
from linnet.serve.chunks import Chunk, Item, chunks
from linnet.serve.engine import Engine
from linnet.serve.lines import Lines
from linnet.serve.metrics import Metrics
from linnet.serve.outbox import Outbox
from linnet.serve.problems import failed, problem_of
from linnet.serve.refusals import Invalid, Refusal
from linnet.serve.settings import Limits
from linnet.serve.snapshot import Snapshot
from linnet.serve.work import Answered, Work

__all__ = ["MEDIA_TYPE", "Batch"]

MEDIA_TYPE = "application/x-ndjson"
_AHEAD = 1  # chunks beside the one that is written and the one that is read
_LOG = logging.getLogger("linnet.serve")


class Batch(Response):
    """The answer to a batch.

    read     a line of JSON as an item, raises ValidationError
    work     what to do with items
    flow     whose it is, for the engine
    ending   whether the server is ending: then lines that have been read are answered, and no more are
    """

    media_type = MEDIA_TYPE

    def __init__(
        self,
        *,
        read: Callable[[bytes], Item],
        work: Callable[[list[Any]], Work],
        snapshot: Snapshot,
        engine: Engine,
        metrics: Metrics,
        limits: Limits,
        flow: str,
        ending: Callable[[], bool],
    ) -> None:
        super().__init__(None)
        del self.headers["content-length"]
        self._read, self._work = read, work
        self._snapshot, self._engine, self._metrics, self._limits = snapshot, engine, metrics, limits
        self._flow, self._ending = flow, ending

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer while the request is still arriving."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        started = False
        outbox = Outbox(most=self._limits.spool)
        lines = Lines(receive, most=self._limits.body, seconds=6 * self._limits.arriving, ending=self._ending)
        try:
            async with asyncio.TaskGroup() as group:
                answering = group.create_task(self._answer(lines, outbox))
                while data := await outbox.get():
                    # Not before: a client may wait to be told to go on, which reading its first piece does.
                    if not started:
                        started = True
                        await send(start)
                    await send({"type": "http.response.body", "body": data, "more_body": True})
                answering.cancel()
            if not started:
                await send(start)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except* (_Gone, ConnectionResetError):
            pass
        finally:
            lines.close()
            outbox.close()

    async def _answer(self, lines: Lines, outbox: Outbox) -> None:
        """Put answers into the outbox until there are no more lines, then wait for the client to go away."""
        waiting: asyncio.Queue[tuple[Chunk, asyncio.Task[Answered | Refusal] | None] | None] = asyncio.Queue(
            _AHEAD
        )

        async def write() -> None:
            while (one := await waiting.get()) is not None:
                chunk, task = one
                await outbox.put(await self._written(chunk, task))

        async with asyncio.TaskGroup() as group:
            writing = group.create_task(write())
            async for chunk in chunks(lines, read=self._read, cost=self._cost, limits=self._limits):
                items = [item for _, item in chunk.items if not isinstance(item, Refusal)]
                task = group.create_task(self._linked(items)) if items else None
                await waiting.put((chunk, task))
            await waiting.put(None)
            await writing
            if lines.ended is not None:
                await outbox.put(self._problem(lines.number + 1, lines.ended))
            outbox.end()
        await lines.gone()
        raise _Gone

    def _cost(self, items: list[Item]) -> float:
        return self._work(items).cost

    async def _linked(self, items: list[Item]) -> Answered | Refusal:
        try:
            return await self._engine.run(self._work(items), self._snapshot, flow=self._flow)
        except Refusal as refusal:
            return refusal
        except LinnetError as error:
            return Invalid(str(error))
        except Exception:
            _LOG.exception("a piece of a batch failed")
            return failed()

    async def _written(self, chunk: Chunk, task: asyncio.Task[Answered | Refusal] | None) -> bytes:
        answered = await task if task is not None else None
        answers = iter(answered.lines) if isinstance(answered, Answered) else iter(())
        snapshot = f',"snapshot":"{self._snapshot.digest}"}}\n'
        parts, bad = [], 0
        for number, item in chunk.items:
            refusal = item if isinstance(item, Refusal) else answered
            if isinstance(refusal, Refusal):
                parts.append(self._problem(number, refusal))
                bad += 1
            else:
                parts.append((next(answers)[:-1] + snapshot).encode())
        self._metrics.lines.labels("answered").inc(len(chunk.items) - bad)
        self._metrics.lines.labels("refused").inc(bad)
        return b"".join(parts)

    def _problem(self, number: int, refusal: Refusal) -> bytes:
        record = {"line": number, "problem": problem_of(refusal), "snapshot": self._snapshot.digest}
        return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class _Gone(Exception):
    """The client reads no more."""
