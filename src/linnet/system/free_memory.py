"""Returning free memory to the system, which glibc would keep."""

from __future__ import annotations

import ctypes
import gc
import sys

__all__ = ["release_memory", "return_free_memory"]


def return_free_memory() -> None:
    """Return freed memory to the system (glibc only). Takes some tenths of a second for some gigabytes."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)


def release_memory() -> None:
    """Collect cycles, and return free memory to the system: after a swap, the size of a snapshot."""
    gc.collect()
    return_free_memory()
