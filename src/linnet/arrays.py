"""Types of NumPy arrays, by what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Array",
    "Bytes",
    "Codes",
    "Doubles",
    "Fixed",
    "Flags",
    "Floats",
    "Floats2d",
    "Hashes",
    "Ints",
    "Mask",
    "Rows",
    "SignedBytes",
]

Array = NDArray[Any]
Mask = NDArray[np.bool_]
SignedBytes = NDArray[np.int8]
Bytes = NDArray[np.uint8]
Fixed = NDArray[np.int16]
"""Components times 32,767 (`linnet.retrieve.fixed_point`), or other small numbers."""
Flags = NDArray[np.uint16]
Rows = NDArray[np.int32]
"""Rows of a store, −1 for none, and other numbers of this size."""
Codes = NDArray[np.uint32]
Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Floats = NDArray[np.float32]
Floats2d = NDArray[np.float32]
"""One row for each text."""
Doubles = NDArray[np.float64]
