"""Stamps of files: they change when a file is replaced, written or cut short."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FileStamp", "file_stamp"]

FileStamp = tuple[int, int, int]


def file_stamp(path: Path) -> FileStamp | None:
    """Inode, time of change in nanoseconds, and size in bytes; None where the file cannot be found."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
