"""Stamps of files: whether a file was replaced, without reading it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["Stamp", "stamp_of"]

Stamp = tuple[int, int, int]
"""Inode, time of change in nanoseconds, size in bytes."""


def stamp_of(file: Path) -> Stamp | None:
    """The stamp of a file; None where it does not exist or cannot be looked at."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
