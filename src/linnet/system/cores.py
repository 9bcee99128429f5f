"""Number of cores available to this process."""

from __future__ import annotations

import os

__all__ = ["cores"]


def cores() -> int:
    """The number of cores that the process may use if the system gives it (Linux, containers), else all cores."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
