"""Limits on how many requests are answered at once, in all and of one client."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from linnet.serve.refusals import Busy, TooMany

__all__ = ["Admission"]


class Admission:
    """Counts running requests. Not thread-safe.

    limit        requests at once
    per_client   requests at once of one client
    what         "requests" or "batches", for messages
    retry_after  seconds after which a refused client may try again
    """

    def __init__(self, limit: int, per_client: int, *, what: str, retry_after: int) -> None:
        self._limit, self._per_client = limit, min(limit, per_client)
        self._what, self._retry_after = what, retry_after
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        """Number of running requests."""
        return self._counts.total()

    @contextmanager
    def admitted(self, client: str) -> Iterator[None]:
        """Count a request for as long as the block runs. client: its owner, "" where clients are not distinguished.

        Raises Busy where too many requests run, TooMany where too many of this client's do.
        """
        if len(self) >= self._limit:
            raise Busy(
                f"The server is answering {self._limit:,} {self._what}, its limit.",
                advice="Send it again later.",
                retry_after=self._retry_after,
            )
        if client and self._counts[client] >= self._per_client:
            raise TooMany(
                f"The server is answering {self._per_client:,} {self._what} of this API key, the limit of one key.",
                advice="Wait for their answers first.",
                retry_after=self._retry_after,
            )
        self._counts[client] += 1
        try:
            yield
        finally:
            self._counts[client] -= 1
            if not self._counts[client]:
                del self._counts[client]
