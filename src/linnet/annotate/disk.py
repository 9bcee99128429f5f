"""The disk: syncing it, and how to recognise and report a full one."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from linnet.annotate.refusals import DiskFull

__all__ = ["disk_full", "is_full", "sync"]

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_SQLSTATE = "53100"  # PostgreSQL's disk_full


def is_full(error: BaseException | None) -> bool:
    """Whether a full disk or quota caused an error, directly or through its chain."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        if isinstance(error, DBAPIError) and (
            getattr(error.orig, "sqlstate", "") == _SQLSTATE or "disk is full" in str(error.orig)
        ):
            return True
        error = error.__cause__ or error.__context__
    return False


def disk_full(done: str = "Nothing was changed.") -> DiskFull:
    """The exception to raise. done: what was done nevertheless."""
    return DiskFull(f"The server's disk is full. {done} Ask an admin to free some space, then try again.")


def sync(path: Path) -> None:
    """Sync a file to disk, or a folder, so that a renamed file is there after a power cut. Windows cannot sync folders."""
    if os.name != "nt" or path.is_file():
        handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
