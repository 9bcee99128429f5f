"""Lock files: one process at a time, on Linux, macOS and Windows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from linnet.errors import LinnetError

__all__ = ["lock", "locked"]


@contextmanager
def locked(file: Path, *, busy: LinnetError) -> Iterator[None]:
    """Hold a lock file, created if missing; the system releases it when the process ends in any way.

    Raises `busy` if another process holds it, OSError if the file cannot be written.
    """
    with file.open("a") as stream:
        if not _lock(stream):
            raise busy
        yield


def _lock(stream: IO[Any]) -> bool:
    try:
        return lock(stream.fileno())
    except ModuleNotFoundError:  # Windows
        return _lock_on_windows(stream)


def lock(handle: int) -> bool:
    """Lock an open file or folder until it is closed; False where another process holds it.

    Raises ModuleNotFoundError on Windows, OSError on a file system without locks.
    """
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_on_windows(stream: IO[Any]) -> bool:
    import msvcrt

    locking, mode = getattr(msvcrt, "locking"), getattr(msvcrt, "LK_NBLCK")  # noqa: B009 (mypy on Linux)
    try:
        stream.seek(0)
        locking(stream.fileno(), mode, 1)
    except PermissionError:
        return False
    return True
