"""Releasing memory to the system."""

from __future__ import annotations

import ctypes
import gc
import sys

__all__ = ["release_memory"]


def release_memory() -> None:
    """Collect cycles and return free memory to the system. glibc would keep it: after a swap, the size of a snapshot."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)
