"""How many cores this process may use."""

from __future__ import annotations

import os

__all__ = ["cores"]


def cores() -> int:
    """Those it is confined to where the system can say so (Linux, containers), else all there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
