"""Memory that is not needed any more, given back."""

from __future__ import annotations

import ctypes
import gc
import sys

__all__ = ["give_back"]


def give_back() -> None:
    """Collect cycles, and hand what is free to the system, which glibc else keeps: after a swap, as much as was opened."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)
