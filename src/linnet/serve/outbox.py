"""What is to be sent and not yet read: a little in memory, the rest in a file, up to a limit.

Most HTTP clients send the whole of a request before they read any of the answer. If answers had nowhere to go meanwhile, the
server would stop reading, and both would wait for each other.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import deque
from typing import IO

__all__ = ["Outbox"]

_IN_MEMORY = 1 << 20
_PIECE = 1 << 16


class Outbox:
    """Bytes in, the same bytes out, in order, by one writer and one reader."""

    def __init__(self, *, most: int) -> None:
        """most: bytes on disk; the writer waits for the reader beyond that."""
        self._most = most
        self._ready: deque[bytes] = deque()
        self._size = 0
        self._file: IO[bytes] | None = None
        self._written = self._read = 0
        self._ended = False
        self._changed = asyncio.Event()

    async def put(self, data: bytes) -> None:
        """Add bytes; waits while there are too many."""
        while data:
            if self._file is None and self._size < _IN_MEMORY:
                self._ready.append(data)
                self._size += len(data)
                break
            if self._spooled(data):
                break
            await self._change()
        self._changed.set()

    def end(self) -> None:
        """There is nothing more to come."""
        self._ended = True
        self._changed.set()

    async def get(self) -> bytes:
        """The next bytes, waited for; b"" at the end."""
        while True:
            if self._ready:
                data = self._ready.popleft()
                self._size -= len(data)
                self._changed.set()
                return data
            if self._file is not None:
                data = self._unspooled(self._file)
                self._changed.set()
                return data
            if self._ended:
                return b""
            await self._change()

    def close(self) -> None:
        """Forget what is left."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self._written = self._read = 0

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _spooled(self, data: bytes) -> bool:
        if self._written + len(data) > self._most:
            return False
        try:
            if self._file is None:
                # Closed by `close`, at the end of the batch.
                self._file = tempfile.TemporaryFile(prefix="linnet-")  # noqa: SIM115
            self._file.seek(self._written)
            self._file.write(data)
            self._file.flush()
        except OSError:
            # The disk is full: the client has to read first.
            if self._written == 0:
                self.close()
            return False
        self._written += len(data)
        return True

    def _unspooled(self, file: IO[bytes]) -> bytes:
        file.seek(self._read)
        data = file.read(min(_PIECE, self._written - self._read))
        self._read += len(data)
        if self._read == self._written:
            self.close()
        return data
