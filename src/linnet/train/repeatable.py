"""Training that gives the same numbers each time, on the same machine with the same versions."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

__all__ = ["repeatable"]


@contextmanager
def repeatable(seed: int, device: torch.device, *, threads: int | None = None) -> Iterator[None]:
    """Seeded generators, the number of threads set, and deterministic computations where PyTorch has them.

    CPUs need these, too: threads that add to the same row of a gradient do so in any order. At the end threads and
    computations are as before.
    """
    threads_before = torch.get_num_threads()
    deterministic, only_warned = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
    torch.set_num_threads(threads or threads_before)
    if device.type == "cuda":
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS needs it to be deterministic
    torch.use_deterministic_algorithms(True, warn_only=True)
    filled = _fill_memory(False)
    try:
        yield
    finally:
        torch.set_num_threads(threads_before)
        torch.use_deterministic_algorithms(deterministic, warn_only=only_warned)
        _fill_memory(filled)


def _fill_memory(wanted: bool) -> bool:
    """Whether new memory is filled in deterministic mode, which costs time and only makes mistakes of PyTorch's users
    repeatable; what was set before."""
    module = torch.utils.deterministic
    before: bool = module.fill_uninitialized_memory  # type: ignore[attr-defined]
    module.fill_uninitialized_memory = wanted  # type: ignore[attr-defined]
    return before
