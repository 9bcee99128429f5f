"""What training mentions say about concepts and texts, as numbers to look up: how often each was meant.

Kept by hashes of concept ids and of texts, so that it serves any terminology with these ids; what is not in it counts 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from linnet.rerank.names import hash_of, stems
from linnet.text import simplify

__all__ = ["FORMS", "Memory", "kind_of"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float32]]

FORMS = 2  # of a text: its words as they stand, and their stems
_MIX = np.int64(0x2545F4914F6CDD1D)


class Table:
    """Numbers by 64-bit keys, which are sorted; 0 for a key that is not there."""

    def __init__(self, keys: Ints, values: Floats) -> None:
        self.keys, self.values = keys, values

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> Self:
        """From a counter."""
        keys = sorted(counts)
        return cls(np.array(keys, np.int64), np.array([counts[key] for key in keys], np.float32))

    def get(self, keys: Ints) -> Floats:
        """The number of each key; any shape."""
        if not len(self.keys):
            return np.zeros(keys.shape, np.float32)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.values[place], np.float32(0))


class Memory:
    """Counts of training mentions.

    concepts  hashes of ids      → how often each was meant
    surfaces  hashes of texts    → how often each was seen
    pairs     hashes of a text with a concept → how often the one meant the other
    kinds     kind of id (`kind_of`) → logarithm of how much oftener it is meant than proposed
    """

    def __init__(
        self, concepts: Table, surfaces: Table, pairs: Table, *, kinds: Mapping[str, float] | None = None
    ) -> None:
        self.concepts, self.surfaces, self.pairs = concepts, surfaces, pairs
        self.kinds = dict(kinds or {})

    @classmethod
    def of(cls, meant: Iterable[tuple[str, str]], *, kinds: Mapping[str, float] | None = None) -> Self:
        """Counted from the (text, concept id) of training mentions."""
        concepts: Counter[int] = Counter()
        surfaces: Counter[int] = Counter()
        pairs: Counter[int] = Counter()
        for text, id in meant:
            of = hash_of(id)
            concepts[of] += 1
            for surface in _hashes(text):
                surfaces[surface] += 1
                pairs[_joined(surface, of)] += 1
        return cls(Table.of(concepts), Table.of(surfaces), Table.of(pairs), kinds=kinds)

    def hashes(self, texts: Sequence[str]) -> Ints:
        """(N, FORMS) what `seen` and `meant` take for texts."""
        return np.array([_hashes(text) for text in texts], np.int64).reshape(len(texts), FORMS)

    def seen(self, texts: Ints) -> Floats:
        """How often each text was seen; any shape."""
        return self.surfaces.get(texts)

    def meant(self, texts: Ints, ids: Ints) -> Floats:
        """How often a text meant the concept whose id has this hash; any shape."""
        with np.errstate(over="ignore"):
            return self.pairs.get((texts * _MIX) ^ ids)


def kind_of(id: str) -> str:
    """An id without its digits: "MESH:D" of MESH:D003920."""
    return id.rstrip("0123456789")


def _hashes(text: str) -> tuple[int, ...]:
    return hash_of(simplify(text)), hash_of("\n" + "\n".join(sorted(set(stems(text)))))


def _joined(surface: int, concept: int) -> int:
    with np.errstate(over="ignore"):
        return int((np.int64(surface) * _MIX) ^ np.int64(concept))
