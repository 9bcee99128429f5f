"""Lines of a request's body, as they arrive."""

from __future__ import annotations

import asyncio
from codecs import BOM_UTF8
from collections.abc import Callable
from typing import NamedTuple

from starlette.types import Receive

from linnet.serve.refusals import Busy, Refusal, TooLarge, TooSlow

__all__ = ["Line", "Lines"]

_LOOK = 0.25  # seconds between looks at whether the server is ending


class Line(NamedTuple):
    """A line that is not blank, and its number, from 1; or what is wrong with it."""

    number: int
    data: bytes | Refusal


class Lines:
    """Reads a body line by line; never more than a line and a piece of what has arrived is in memory.

    most     bytes of a line; of a longer one the rest is passed over
    seconds  to wait for the next one
    ending   whether to stop reading

    ended  why it stopped before the end of the body, if it did
    """

    def __init__(self, receive: Receive, *, most: int, seconds: float, ending: Callable[[], bool]) -> None:
        self._receive, self._most, self._seconds, self._ending = receive, most, seconds, ending
        self._left = bytearray()
        self._searched = 0
        self._more, self._skipping = True, False
        self._coming: asyncio.Task[bool] | None = None
        self.number = 0
        self.ended: Refusal | None = None

    def next_there(self) -> Line | None:
        """The next line if it has arrived."""
        while True:
            place = self._left.find(b"\n", self._searched)
            if place < 0:
                self._searched = len(self._left)
                if self._searched > self._most:
                    self._left.clear()
                    self._searched, self._skipping = 0, True
                if self._more or not (self._left or self._skipping):
                    return None
                place = len(self._left)
            data = bytes(self._left[:place]).strip()
            del self._left[: place + 1]
            self._searched = 0
            self.number += 1
            if self.number == 1:
                data = data.removeprefix(BOM_UTF8)
            if self._skipping or len(data) > self._most:
                self._skipping = False
                return Line(
                    self.number,
                    TooLarge(
                        f"The line is longer than {self._most:,} bytes.", advice="Divide it, or leave it out."
                    ),
                )
            if data:
                return Line(self.number, data)

    async def next(self) -> Line | None:
        """The next line, waited for; None at the end, and where `ended` says why there will be no more."""
        clock = asyncio.get_running_loop().time
        late = clock() + self._seconds
        while (line := self.next_there()) is None and self._more and self.ended is None:
            if self._ending():
                self.ended = Busy(
                    "The server is ending.",
                    advice=f"Lines up to {self.number} are answered; send the others again.",
                    wait=1,
                )
                return None
            if self._coming is None:
                self._coming = asyncio.ensure_future(self._arrive())
            done, _ = await asyncio.wait({self._coming}, timeout=_LOOK)
            if done:
                coming, self._coming = self._coming, None
                if coming.result():  # a line; single bytes do not put it off
                    late = clock() + self._seconds
                    continue
            if clock() >= late:
                self.ended = TooSlow(
                    f"No further line within {self._seconds:g} seconds.",
                    advice=f"Lines up to {self.number} are answered; send the others again.",
                )
        return line

    async def gone(self) -> None:
        """Wait until the client goes away."""
        while True:
            if self._coming is not None:
                coming, self._coming = self._coming, None
                await coming
            if (await self._receive())["type"] == "http.disconnect":
                return

    def close(self) -> None:
        """Wait for nothing more."""
        if self._coming is not None:
            self._coming.cancel()

    async def _arrive(self) -> bool:
        """Take what comes next; whether a line is complete with it."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        data = message.get("body", b"")
        self._left += data
        self._more = message.get("more_body", False)
        return b"\n" in data or not self._more
