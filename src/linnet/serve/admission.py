"""Limits on how many requests are answered at once, in all and of one client; those above may wait for a place."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from linnet.http.refusals import Busy, TooMany

__all__ = ["Admission"]


class Admission:
    """Counts running requests. Not thread-safe.

    limit        requests at once
    per_client   requests at once of one client
    what         "requests" or "batches", for messages
    retry_after  seconds after which a refused client may try again
    queue        requests that may wait, in their order        patience  seconds that each may
    """

    def __init__(
        self,
        limit: int,
        per_client: int,
        *,
        what: str,
        retry_after: int,
        queue: int = 0,
        patience: float = 0.0,
    ) -> None:
        self._limit, self._per_client = limit, min(limit, per_client)
        self._what, self._retry_after = what, retry_after
        self._queue, self._patience = queue, patience
        self._places = asyncio.Semaphore(limit)
        self._waiting = 0
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        """Number of running requests."""
        return self._counts.total()

    @asynccontextmanager
    async def admitted(self, client: str) -> AsyncIterator[None]:
        """Count a request for as long as the block runs. client: its owner, "" where clients are not distinguished.

        Raises Busy where too many requests run and wait, TooMany where too many of this client's run.
        """
        await self._wait_for_place()
        try:
            with self._counted(client):
                yield
        finally:
            self._places.release()

    async def _wait_for_place(self) -> None:
        if self._places.locked() and self._waiting >= self._queue:
            raise self._busy()
        self._waiting += 1
        try:
            async with asyncio.timeout(self._patience if self._places.locked() else None):
                await self._places.acquire()
        except TimeoutError:
            raise self._busy() from None
        finally:
            self._waiting -= 1

    def _busy(self) -> Busy:
        waiting = f", and {self._waiting:,} wait" if self._waiting else ""
        return Busy(
            f"The server is answering {self._limit:,} {self._what}, its limit{waiting}.",
            next_step=f"Send it again in {self._retry_after} s or later.",
            retry_after=self._retry_after,
        )

    @contextmanager
    def _counted(self, client: str) -> Iterator[None]:
        if client and self._counts[client] >= self._per_client:
            raise TooMany(
                f"The server is answering {self._per_client:,} {self._what} of this API key, the limit of one key.",
                next_step="Wait for their answers first.",
                retry_after=self._retry_after,
            )
        self._counts[client] += 1
        try:
            yield
        finally:
            self._counts[client] -= 1
            if not self._counts[client]:
                del self._counts[client]
