"""Word vectors of a tagger: trained with it, from an encoder of names, and from the contexts of words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from zlib import crc32

import numpy as np
from scipy.sparse import csr_matrix

from linnet.arrays import Codes, Floats
from linnet.encode import Encoder
from linnet.encode.features import Bags, NgramFeatures

__all__ = ["CONTEXT_TOKEN", "ContextVectors", "FixedVectors", "WordVectors", "context_form"]

CONTEXT_TOKEN = re.compile(r"[^\W_]+|[^\w\s]")
_NUMBER = "0"


def context_form(token: str) -> str:
    """The form in which tokens count as the same word: case is ignored, and all numbers are one word."""
    return _NUMBER if token.isdigit() else token.lower()


@dataclass(frozen=True, slots=True)
class ContextVectors:
    """Vectors of words by their contexts, looked up by the hash of the word.

    hashes  (V,) sorted        table  (V, C)
    """

    hashes: Codes
    table: Floats

    @classmethod
    def of(cls, words: Sequence[str], table: Floats) -> Self:
        """Vectors of words in `context_form`; of words with equal hashes, the first one's vector is kept."""
        hashes, first = np.unique(np.array([_code(word) for word in words], np.uint32), return_index=True)
        return cls(hashes, table[first])

    def vectors(self, words: Sequence[str]) -> Floats:
        """(W, C); zeros for an unknown word."""
        vectors = np.zeros((len(words), self.table.shape[1]), np.float32)
        if len(self.hashes) and len(words):
            codes = np.array([_code(context_form(word)) for word in words], np.uint32)
            places = np.minimum(np.searchsorted(self.hashes, codes), len(self.hashes) - 1)
            known = self.hashes[places] == codes
            vectors[known] = self.table[places[known]]
        return vectors


@dataclass(frozen=True, slots=True)
class FixedVectors:
    """(W, D) vectors that are not trained with the tagger.

    encoder   unit vectors; zeros for a word without features        contexts  follow them
    """

    encoder: Encoder | None = None
    contexts: ContextVectors | None = None

    @property
    def dimensions(self) -> int:
        """D, 0 if both are None."""
        return (self.encoder.dimensions if self.encoder else 0) + (
            self.contexts.table.shape[1] if self.contexts else 0
        )

    def of(self, words: Sequence[str]) -> Floats:
        """(W, D) in the order of the words."""
        parts = [np.zeros((len(words), 0), np.float32)]
        if self.encoder is not None:
            vectors = self.encoder.encode(words)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            parts.append(np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32))
        if self.contexts is not None:
            parts.append(self.contexts.vectors(words))
        return np.concatenate(parts, axis=1)


@dataclass(frozen=True, slots=True)
class WordVectors:
    """(W, E + D) vectors of words.

    table  (buckets, E) a word's trained vector is the sum of the rows of its n-grams
    fixed  the D other components
    """

    features: NgramFeatures
    table: Floats
    fixed: FixedVectors

    @property
    def dimensions(self) -> int:
        """E + D."""
        return int(self.table.shape[1]) + self.fixed.dimensions

    def of(self, words: Sequence[str]) -> Floats:
        """(W, E + D), not normalised, in the order of the words."""
        return np.concatenate([_sums(self.features.bags(words), self.table), self.fixed.of(words)], axis=1)


def _code(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))


def _sums(bags: Bags, table: Floats) -> Floats:
    product = csr_matrix(
        (np.ones(len(bags.values), np.float32), bags.values, bags.offsets),
        shape=(len(bags.offsets) - 1, len(table)),
    )
    return np.asarray(product @ table, np.float32)
