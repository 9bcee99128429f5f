"""Arrays read in place from `.npy` files."""

from __future__ import annotations

from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from linnet.errors import DamagedError

__all__ = ["mapped"]


def mapped(path: Path) -> np.ndarray[Any, np.dtype[Any]]:
    """The array of a file, memory-mapped for reading.

    A plain array, not an `np.memmap`: slicing that subclass costs ten times as much. Raises DamagedError where it is none.
    """
    try:
        return np.asarray(np.load(path, mmap_mode="r"))
    # NumPy reads the header as Python; what is no Python ends in any of these.
    except (OSError, ValueError, SyntaxError, EOFError, TokenError) as error:
        raise DamagedError(f"{path} cannot be read: {error}. Build the index again: linnet index") from None
