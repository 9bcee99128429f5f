"""Progress messages of the experiments, with the time of day."""

from __future__ import annotations

import sys
import time

__all__ = ["say"]


def say(text: str) -> None:
    """Print to standard error at once, so that an hours-long run shows where it is."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
