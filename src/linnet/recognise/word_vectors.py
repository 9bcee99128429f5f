"""Vectors of single words for a tagger: some learnt with it, and those of a name encoder that it leaves as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from linnet.encode import Encoder
from linnet.encode.features import Bags, NgramFeatures

__all__ = ["WordVectors", "encoded"]

Floats = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, slots=True)
class WordVectors:
    """(W, E + D) of W words.

    table    (buckets, E) a word's vector is the sum of the rows of its n-grams
    encoder  its D numbers follow, as unit vectors; None for none
    """

    features: NgramFeatures
    table: Floats
    encoder: Encoder | None = None

    def of(self, words: Sequence[str]) -> Floats:
        """Raw, in the order of the words."""
        bags = self.features.bags(words)
        return np.concatenate([_sums(bags, self.table), encoded(words, self.encoder)], axis=1)


def encoded(words: Sequence[str], encoder: Encoder | None) -> Floats:
    """(W, D) unit vectors; zeros for a word the encoder sees nothing in. D is 0 without an encoder."""
    if encoder is None:
        return np.zeros((len(words), 0), np.float32)
    vectors = encoder.encode(words)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)


def _sums(bags: Bags, table: Floats) -> Floats:
    product = csr_matrix(
        (np.ones(len(bags.values), np.float32), bags.values, bags.offsets),
        shape=(len(bags.offsets) - 1, len(table)),
    )
    return np.asarray(product @ table, np.float32)
