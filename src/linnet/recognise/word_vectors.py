"""Vectors of single words for a tagger: some learnt with it, those of a name encoder, and those of words by their contexts."""

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
    """What tokens that count as the same word have in common: all numbers are one word, case does not matter."""
    return _NUMBER if token.isdigit() else token.lower()


@dataclass(frozen=True, slots=True)
class ContextVectors:
    """Vectors of words by what stands beside them, looked up by the hash of the word.

    hashes  (V,) rising        table  (V, C)
    """

    hashes: Codes
    table: Floats

    @classmethod
    def of(cls, words: Sequence[str], table: Floats) -> Self:
        """Of words in `context_form`; where two have one hash, the first one's vector counts."""
        hashes, first = np.unique(np.array([_code(word) for word in words], np.uint32), return_index=True)
        return cls(hashes, table[first])

    def vectors(self, words: Sequence[str]) -> Floats:
        """(W, C); zeros for a word that is not known."""
        found = np.zeros((len(words), self.table.shape[1]), np.float32)
        if len(self.hashes) and len(words):
            codes = np.array([_code(context_form(word)) for word in words], np.uint32)
            places = np.minimum(np.searchsorted(self.hashes, codes), len(self.hashes) - 1)
            known = self.hashes[places] == codes
            found[known] = self.table[places[known]]
        return found


@dataclass(frozen=True, slots=True)
class FixedVectors:
    """(W, D) what a tagger is given of words and does not change.

    encoder   unit vectors; zeros for a word the encoder sees nothing in        contexts  follow them; None for none
    """

    encoder: Encoder | None = None
    contexts: ContextVectors | None = None

    @property
    def dimensions(self) -> int:
        """D, 0 with neither."""
        return (self.encoder.dimensions if self.encoder else 0) + (
            self.contexts.table.shape[1] if self.contexts else 0
        )

    def of(self, words: Sequence[str]) -> Floats:
        """In the order of the words."""
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
    """(W, E + D) of W words.

    table  (buckets, E) a word's learnt vector is the sum of the rows of its n-grams
    fixed  its D numbers follow
    """

    features: NgramFeatures
    table: Floats
    fixed: FixedVectors

    @property
    def dimensions(self) -> int:
        """E + D."""
        return int(self.table.shape[1]) + self.fixed.dimensions

    def of(self, words: Sequence[str]) -> Floats:
        """Raw, in the order of the words."""
        return np.concatenate([_sums(self.features.bags(words), self.table), self.fixed.of(words)], axis=1)


def _code(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))


def _sums(bags: Bags, table: Floats) -> Floats:
    product = csr_matrix(
        (np.ones(len(bags.values), np.float32), bags.values, bags.offsets),
        shape=(len(bags.offsets) - 1, len(table)),
    )
    return np.asarray(product @ table, np.float32)
