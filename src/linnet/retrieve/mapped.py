"""Arrays of an index, read in place from `.npy` files, and what is raised where one of them was altered."""

from __future__ import annotations

from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from linnet.errors import DamagedError

__all__ = ["altered", "mapped"]


def mapped(path: Path, *, rebuild: str = "") -> np.ndarray[Any, np.dtype[Any]]:
    """The array of a file, memory-mapped for reading.

    rebuild  the command that writes it, where that is not `linnet index DIR --retriever NAME`

    A plain array, not an `np.memmap`: slicing that subclass costs ten times as much. Raises DamagedError where it is none.
    """
    try:
        return np.asarray(np.load(path, mmap_mode="r"))
    # NumPy reads the header as Python; what is no Python ends in any of these.
    except (OSError, ValueError, SyntaxError, EOFError, TokenError) as error:
        raise DamagedError(f"{path} cannot be read: {error}. Run: {rebuild or _rebuild(path)}") from None


def altered(path: Path, *, rebuild: str = "") -> DamagedError:
    """What to raise where a file that is too large to be compared on opening says what cannot be; `rebuild` as above."""
    return DamagedError(f"{path} was altered: it says what cannot be. Run: {rebuild or _rebuild(path)}")


def _rebuild(path: Path) -> str:
    """The command that builds the index that a file is in, or its folder is: `DIR/index/NAME/…`."""
    home = next((place for place in (path, *path.parents) if place.parent.name == "index"), None)
    return f"linnet index {home.parents[1]} --retriever {home.name}" if home else "linnet index"
