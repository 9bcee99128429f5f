"""Arrays read in place from `.npy` files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["mapped"]


def mapped(path: Path) -> np.ndarray[Any, np.dtype[Any]]:
    """The array of a file, memory-mapped for reading.

    A plain array, not an `np.memmap`: slicing that subclass costs ten times as much.
    """
    return np.asarray(np.load(path, mmap_mode="r"))
