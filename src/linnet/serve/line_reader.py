"""Lines of a request's body, as they arrive."""

from __future__ import annotations

import asyncio
from codecs import BOM_UTF8
from collections.abc import Callable
from typing import NamedTuple

from starlette.types import Receive

from linnet.http.refusals import Busy, Refusal, TooLarge, TooSlow
from linnet.serve.timeouts import Disconnected

__all__ = ["Line", "LineReader"]

_INTERVAL = 0.25  # seconds between checks whether the server is ending


class Line(NamedTuple):
    """A line that is not blank, with its number, from 1; or why it is refused."""

    number: int
    data: bytes | Refusal


class LineReader:
    """Reads a body line by line; never holds more than one line and one piece of the body.

    max_bytes  of a line; the rest of a longer one is skipped
    seconds    to wait for the next line
    ending     whether the server is ending: reading stops

    stopped    why reading stopped before the end of the body; None if it did not
    """

    def __init__(
        self, receive: Receive, *, max_bytes: int, seconds: float, ending: Callable[[], bool]
    ) -> None:
        self._receive, self._max_bytes, self._seconds, self._ending = receive, max_bytes, seconds, ending
        self._buffer = bytearray()
        self._searched = 0
        self._more, self._skipping = True, False
        self._coming: asyncio.Task[bool] | None = None
        self.number = 0
        self.stopped: Refusal | None = None

    @property
    def reading(self) -> bool:
        """Whether more of the body is expected."""
        return self._more and self.stopped is None

    def next_buffered(self) -> Line | None:
        """The next line if it has arrived."""
        while True:
            end = self._buffer.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self._buffer)
                if self._searched > self._max_bytes:
                    self._buffer.clear()
                    self._searched, self._skipping = 0, True
                if self._more or not (self._buffer or self._skipping):
                    return None
                end = len(self._buffer)
            data = bytes(self._buffer[:end]).strip()
            del self._buffer[: end + 1]
            self._searched = 0
            self.number += 1
            if self.number == 1:
                data = data.removeprefix(BOM_UTF8)
            if self._skipping or len(data) > self._max_bytes:
                self._skipping = False
                too_long = f"The line is longer than {self._max_bytes:,} bytes."
                return Line(self.number, TooLarge(too_long, next_step="Divide it, or leave it out."))
            if data:
                return Line(self.number, data)

    async def next(self) -> Line | None:
        """Wait for the next line; None at the end of the body, or after reading stopped.

        Raises Disconnected if the client disconnects.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._seconds
        while (line := self.next_buffered()) is None and self.reading:
            advice = f"Lines up to {self.number} are answered; send the others again."
            if self._ending():
                self.stopped = Busy("The server is ending.", next_step=advice, retry_after=1)
                return None
            if self._coming is None:
                self._coming = asyncio.ensure_future(self._receive_piece())
            done, _ = await asyncio.wait({self._coming}, timeout=_INTERVAL)
            if done:
                coming, self._coming = self._coming, None
                if coming.result():  # a whole line: single bytes do not extend the deadline
                    deadline = clock() + self._seconds
                    continue
            if clock() >= deadline:
                self.stopped = TooSlow(f"No further line within {self._seconds:g} seconds.", next_step=advice)
        return line

    async def disconnected(self) -> None:
        """Wait until the client disconnects."""
        while True:
            if self._coming is not None:
                coming, self._coming = self._coming, None
                await coming
            if (await self._receive())["type"] == "http.disconnect":
                return

    def close(self) -> None:
        """Stop waiting."""
        if self._coming is not None:
            self._coming.cancel()

    async def _receive_piece(self) -> bool:
        """Take the next piece of the body; whether it completes a line."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        data = message.get("body", b"")
        self._buffer += data
        self._more = message.get("more_body", False)
        return b"\n" in data or not self._more
