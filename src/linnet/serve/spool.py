"""A buffer of answers that the client has not read: a little in memory, the rest in a file, up to a limit.

Most HTTP clients send the whole request before they read any of the answer. Without room for answers the server would stop
reading the request, and both would wait for each other.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import deque
from typing import IO

__all__ = ["Spool"]

_IN_MEMORY = 1 << 20  # bytes
_PIECE = 1 << 16  # bytes read from the file at a time


class Spool:
    """Bytes in, the same bytes out, in order, by one writer and one reader. full: whether the writer waits for room."""

    def __init__(self, *, max_bytes: int) -> None:
        """max_bytes: on disk; beyond that the writer waits for the reader."""
        self._max_bytes = max_bytes
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._file: IO[bytes] | None = None
        self._written = self._read = 0
        self._ended = False
        self.full = False
        self._changed = asyncio.Event()

    async def put(self, data: bytes) -> None:
        """Add bytes; waits while there is no room."""
        while data and not self._stored(data):
            self.full = True
            await self._wait_for_change()
        self.full = False
        self._changed.set()

    def end(self) -> None:
        """Mark the end: nothing more comes."""
        self._ended = True
        self._changed.set()

    async def get(self) -> bytes:
        """The next bytes, waited for; b"" at the end."""
        while not (self._pieces or self._file or self._ended):
            await self._wait_for_change()
        if self._pieces:
            data = self._pieces.popleft()
            self._size -= len(data)
        else:
            data = self._read_from_file(self._file) if self._file else b""
        self._changed.set()
        return data

    def close(self) -> None:
        """Delete the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self._written = self._read = 0

    async def _wait_for_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _stored(self, data: bytes) -> bool:
        """Whether there was room for it."""
        if self._file is None and self._size < _IN_MEMORY:
            self._pieces.append(data)
            self._size += len(data)
            return True
        if self._written + len(data) > self._max_bytes:
            return False
        try:
            if self._file is None:
                # `close` closes it, at the end of the batch. Unbuffered: what does not fit must not be written again by `get`.
                self._file = tempfile.TemporaryFile(prefix="linnet-", buffering=0)  # noqa: SIM115
            self._file.seek(self._written)
            whole = self._file.write(data) == len(data)
        except OSError:
            whole = False
        if not whole:  # the disk is full: the client has to read first
            if self._written == 0:
                self.close()
            return False
        self._written += len(data)
        return True

    def _read_from_file(self, file: IO[bytes]) -> bytes:
        file.seek(self._read)
        data = file.read(min(_PIECE, self._written - self._read))
        self._read += len(data)
        if self._read == self._written:
            self.close()
        return data
