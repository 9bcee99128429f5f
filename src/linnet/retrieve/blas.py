"""Matrix products on one thread each, so that we decide what runs side by side.

BLAS libraries wait for their threads by spinning: where other work shares the cores, two threads of theirs were measured
to take ten times as long as one. Independent batches on threads of our own lose nothing and need no such waiting.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

__all__ = ["single_threaded_blas"]


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """BLAS uses one thread within the block; the setting belongs to the process and is put back."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    # Looking for the loaded libraries takes milliseconds: done once, when numpy's is surely there.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
