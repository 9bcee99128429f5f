"""Arrays of an index, read in place from `.npy` files, and what is raised where one of them was altered."""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from pathlib import Path
from tokenize import TokenError

import numpy as np

from linnet.arrays import Array
from linnet.artifact import unreadable
from linnet.errors import DamagedError

__all__ = ["damaged", "map_array", "refresh_page_cache"]

# Bytes that are read at a time.
_ANEW = 1 << 26


def map_array(path: Path, *, rebuild: str = "") -> Array:
    """The array of a file, memory-mapped for reading.

    rebuild  the command that writes it, where that is not `linnet index DIR --retriever NAME`

    A plain array, not an `np.memmap`: slicing that subclass costs ten times as much. Raises DamagedError where it is none.
    """
    try:
        return np.asarray(np.load(path, mmap_mode="r"))
    # NumPy reads the header as Python; what is no Python ends in any of these.
    except (OSError, ValueError, SyntaxError, EOFError, TokenError) as error:
        raise unreadable(path, error, rebuild=rebuild or _rebuild(path)) from None


def damaged(path: Path, *, rebuild: str = "") -> DamagedError:
    """What to raise where a file that is too large to be compared on opening says what cannot be; `rebuild` as above."""
    return DamagedError(f"{path} was altered: it says what cannot be. Run: {rebuild or _rebuild(path)}")


def _rebuild(path: Path) -> str:
    """The command that builds the index that a file is in, or its folder is: `DIR/index/NAME/…`."""
    home = next((place for place in (path, *path.parents) if place.parent.name == "index"), None)
    return f"linnet index {home.parents[1]} --retriever {home.name}" if home else "linnet index"


def refresh_page_cache(path: Path) -> None:
    """Have the system hold a file that was just written as it holds what it reads: found faster when it is mapped.

    Linux keeps what is written page by page, but what is read in stretches of up to 2 MB, where the file system can, and
    maps each with one look. A restart does the same. Nothing happens on systems that cannot be told.
    """
    if not hasattr(os, "posix_fadvise") or not hasattr(mmap, "MADV_DONTNEED"):
        return
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        size = os.fstat(stream.fileno()).st_size
        for start in range(0, size, _ANEW):
            length = min(_ANEW, size - start)
            with mmap.mmap(stream.fileno(), length, prot=mmap.PROT_READ, offset=start) as part:
                if hasattr(mmap, "MADV_HUGEPAGE"):
                    with suppress(OSError):  # a kernel without them
                        part.madvise(mmap.MADV_HUGEPAGE)
                for page in range(0, length, mmap.PAGESIZE):
                    part[page]
