"""Compressed streams (gzip, bzip2, xz), recognised by their first bytes and unpacked while reading.

All have the same expansion limit; damaged data is an error.
"""

from __future__ import annotations

import bz2
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Protocol

from linnet.errors import DataError

__all__ = [
    "ALL_SUFFIXES",
    "HEAD",
    "SUFFIXES",
    "Packed",
    "Streams",
    "Unpacked",
    "check_expansion",
    "compression_of",
]

HEAD = 262  # bytes that identify every kind; tar's mark is at 257
SUFFIXES = (".gz", ".bz2", ".xz", ".zip")
"""Endings of the compressed files that linnet reads."""
ALL_SUFFIXES = (*SUFFIXES, ".zst", ".7z", ".rar", ".lz4", ".lz")
"""Endings of compressed files, whether linnet reads them or not."""

# Data that unpacks to more than both limits is refused. Real terminologies and corpora unpack to 4 to 30 times their size.
_LARGE = 256 * 2**20
_RATIO = 200

_BLOCK = 1 << 16  # compressed bytes read at a time
_PIECE = 1 << 20  # unpacked bytes made at a time

_BEGINNINGS = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
}
_DAMAGE = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


def compression_of(head: bytes) -> str:
    """ "gzip", "bzip2" or "xz" for a file that begins so, else ""."""
    return next((name for name, beginning in _BEGINNINGS.items() if beginning.match(head)), "")


def check_expansion(packed: int, unpacked: int, path: str | Path) -> None:
    """Raise DataError if the packed bytes unpack to more than any real text or table does."""
    if unpacked > max(_LARGE, _RATIO * packed):
        raise DataError(
            f"unpacks to more than {_RATIO} times its size and {_LARGE >> 20} MiB, like files made to fill the memory. "
            "If you trust it, unpack it yourself and give the unpacked file.",
            path=path,
        )


class Packed(Protocol):
    """A source of unpacked bytes."""

    taken: int
    """Compressed bytes read so far."""

    def piece(self) -> bytes:
        """The next unpacked bytes, b"" at the end. Raises an error of zlib, lzma or zipfile, or EOFError, for damaged data."""

    def rewind(self) -> None:
        """Restart from the beginning."""


class _Decoder(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gzip:
    """zlib's decompressor with the interface of bzip2's and xz's."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.eof and not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data


_DECODERS: dict[str, Callable[[], _Decoder]] = {
    "gzip": _Gzip,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
}


class Streams:
    """One or more concatenated compressed streams. Unlike in `bz2` and `lzma`, damaged data after a stream is an error."""

    def __init__(self, packed: IO[bytes], kind: str) -> None:
        self._packed, self._new = packed, _DECODERS[kind]
        self._begin()

    def _begin(self) -> None:
        self.taken = 0
        self._decoder = self._new()

    def piece(self) -> bytes:
        while True:
            if self._decoder.eof:
                rest = self._after()
                if not rest:
                    return b""
                self._decoder = self._new()
                data, ended = rest, False
            else:
                data = self._read() if self._decoder.needs_input else b""
                ended = self._decoder.needs_input and not data
            piece = self._decoder.decompress(data, _PIECE)
            if piece:
                return piece
            if ended and not self._decoder.eof:
                raise EOFError("it ends in the middle")

    def rewind(self) -> None:
        self._packed.seek(0)
        self._begin()

    def _after(self) -> bytes:
        """The data after a finished stream, without zero padding."""
        rest = self._decoder.unused_data.lstrip(b"\0")
        while not rest:
            data = self._read()
            if not data:
                return b""
            rest = data.lstrip(b"\0")
        return rest

    def _read(self) -> bytes:
        data = self._packed.read(_BLOCK)
        self.taken += len(data)
        return data


class Unpacked(io.RawIOBase):
    """The unpacked bytes as a stream, seekable if the compressed one is.

    Raises DataError with `path` if the data is damaged, cut off, or fails `check_expansion`.
    """

    def __init__(self, packed: Packed, kind: str, path: str | Path, *, seekable: bool) -> None:
        super().__init__()
        self._packed, self._kind, self._path, self._seekable = packed, kind, path, seekable
        self._place = 0  # of the next byte to return
        self._piece = memoryview(b"")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._seekable

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._piece:
            self._piece = memoryview(self._next())
        size = min(len(buffer), len(self._piece))
        buffer[:size] = self._piece[:size]
        self._piece = self._piece[size:]
        self._place += size
        return size

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            raise io.UnsupportedOperation("the length of a compressed stream is not known")
        target = offset + (self._place if whence == io.SEEK_CUR else 0)
        if target < self._place:
            self._packed.rewind()
            self._place, self._piece = 0, memoryview(b"")
        while self._place < target:
            if not self._piece:
                self._piece = memoryview(self._next())
            if not self._piece:
                break
            step = min(target - self._place, len(self._piece))
            self._place, self._piece = self._place + step, self._piece[step:]
        return self._place

    def _next(self) -> bytes:
        try:
            piece = self._packed.piece()
        except _DAMAGE as error:
            raise self._damaged(error) from None
        except OSError as error:
            if error.errno is None:  # bzip2 signals damaged data this way
                raise self._damaged(error) from None
            raise DataError(f"cannot be read: {error.strerror}.", path=self._path) from None
        check_expansion(self._packed.taken, self._place + len(piece), self._path)
        return piece

    def _damaged(self, error: Exception) -> DataError:
        return DataError(
            f"the {self._kind} file is truncated or damaged ({error}). Fetch it again.", path=self._path
        )
