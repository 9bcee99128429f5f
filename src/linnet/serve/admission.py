"""How many requests are answered at once, in all and of one client."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from linnet.serve.refusals import Busy, TooMany

__all__ = ["Admission"]


class Admission:
    """Counts what is being answered. Not for several threads.

    most   at once
    own    at once of one client
    what   they are, for messages      wait  seconds after which whoever is refused may try again
    """

    def __init__(self, most: int, own: int, *, what: str, wait: int) -> None:
        self._most, self._own = most, min(most, own)
        self._what, self._wait = what, wait
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        """How many there are now."""
        return self._counts.total()

    @contextmanager
    def admitted(self, client: str) -> Iterator[None]:
        """It is being answered for as long as the block runs. client: whose it is, "" where nobody is told from another.

        Raises Busy where there are too many, TooMany where this client has too many.
        """
        if len(self) >= self._most:
            raise Busy(
                f"The server is answering {self._most:,} {self._what}, as many as it takes at once.",
                advice="Send it again later.",
                wait=self._wait,
            )
        if client and self._counts[client] >= self._own:
            raise TooMany(
                f"This API key has {self._own:,} {self._what} being answered, as many as it may have at once.",
                advice="Wait for their answers first.",
                wait=self._wait,
            )
        self._counts[client] += 1
        try:
            yield
        finally:
            self._counts[client] -= 1
            if not self._counts[client]:
                del self._counts[client]
