"""Memory-map the `.npy` files of an index, and report damaged ones."""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from pathlib import Path
from tokenize import TokenError

import numpy as np

from linnet.advice import Advice, Step
from linnet.arrays import Array
from linnet.errors import DamagedError
from linnet.io.artifact import unreadable

__all__ = ["damaged", "map_array", "refresh_page_cache"]

# Bytes read at a time by `refresh_page_cache`.
_READ = 1 << 26


def map_array(path: Path, *, rebuild: Advice | None = None) -> Array:
    """Memory-map the array of a file for reading.

    rebuild  how to write the file again; that index alone if left out

    Returns a plain array: slicing an `np.memmap` costs ten times as much. Raises DamagedError if the file is not an array.
    """
    try:
        return np.asarray(np.load(path, mmap_mode="r"))
    # NumPy parses the header as Python; a header that is not Python raises any of these.
    except (OSError, ValueError, SyntaxError, EOFError, TokenError) as error:
        raise unreadable(path, error, rebuild=rebuild or _rebuild(path)) from None


def damaged(path: Path, *, rebuild: Advice | None = None) -> DamagedError:
    """The error for values out of range in a file too large to check on opening; `rebuild` as for `map_array`."""
    return DamagedError(f"{path} is damaged: values out of range.", rebuild or _rebuild(path))


def _rebuild(path: Path) -> Advice:
    """How to build the index `DIR/index/NAME` that contains `path`."""
    index = next((folder for folder in (path, *path.parents) if folder.parent.name == "index"), None)
    if index is None:
        return Step.BUILD_INDEX(terminology="DIR")
    return Step.BUILD_INDEX(terminology=index.parents[1], retrievers=[index.name])


def refresh_page_cache(path: Path) -> None:
    """Drop a newly written file from the page cache and read it again, which makes access to its mapping faster.

    Linux caches written data page by page, but read data in blocks of up to 2 MB where the file system can, and maps each
    block at once. A restart has the same effect. Does nothing on systems without these calls.
    """
    if not hasattr(os, "posix_fadvise") or not hasattr(mmap, "MADV_DONTNEED"):
        return
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        size = os.fstat(stream.fileno()).st_size
        for start in range(0, size, _READ):
            length = min(_READ, size - start)
            with mmap.mmap(stream.fileno(), length, prot=mmap.PROT_READ, offset=start) as block:
                if hasattr(mmap, "MADV_HUGEPAGE"):
                    with suppress(OSError):  # the kernel may lack huge pages
                        block.madvise(mmap.MADV_HUGEPAGE)
                for page in range(0, length, mmap.PAGESIZE):
                    block[page]
