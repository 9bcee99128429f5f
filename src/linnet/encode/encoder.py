"""The contract of an encoder: strings in, vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from linnet.arrays import Floats2d

__all__ = ["Encoder", "unit"]


class Encoder(Protocol):
    """Strings → vectors, in batches. Safe to share between threads.

    name        for messages and manifests
    dimensions  length of a vector
    digest      32 hex digits that change with the vectors
    """

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def digest(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> Floats2d:
        """(N, D) float32, raw (see `unit`), order kept. A text's vector does not depend on the rest of the batch."""
        ...


def unit(vectors: Floats2d) -> Floats2d:
    """The rows scaled to length 1; zero rows stay zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows: Floats2d = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return rows
