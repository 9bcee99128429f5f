"""Counts of training mentions by concept and text: how often each concept was meant.

Keys are hashes of concept ids and of texts, so the counts serve any terminology with these ids. Unknown keys count 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.rerank.name_features import crc_hash, stems
from linnet.words.text import simplify

__all__ = ["MentionPriors", "id_prefix"]

_MIX = np.int64(0x2545F4914F6CDD1D)


@dataclass(frozen=True, slots=True, eq=False)
class CountTable:
    """Numbers by sorted 64-bit keys; 0 for unknown keys."""

    keys: Ints
    values: Floats

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> Self:
        """From a counter."""
        keys = sorted(counts)
        return cls(np.array(keys, np.int64), np.array([counts[key] for key in keys], np.float32))

    def get(self, keys: Ints) -> Floats:
        """The number of each key; any shape."""
        if not len(self.keys):
            return np.zeros(keys.shape, np.float32)
        position = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[position] == keys, self.values[position], np.float32(0))


@dataclass(frozen=True, slots=True, eq=False)
class MentionPriors:
    """Counts of training mentions.

    concepts    hash of an id                    → how often the concept was meant
    surfaces    hash of a text                   → how often the text was seen
    pairs       hash of a text with a concept    → how often the text meant the concept
    kinds       kind of id (`id_prefix`)         → logarithm of how much more often it is meant than proposed
    composites  hash of a text                   → ids of several concepts, its most frequent meaning
    """

    concepts: CountTable
    surfaces: CountTable
    pairs: CountTable
    kinds: Mapping[str, float] = field(default_factory=dict)
    composites: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        meant: Iterable[tuple[str, str]],
        *,
        kinds: Mapping[str, float] | None = None,
        several: Iterable[tuple[str, tuple[str, ...]]] = (),
    ) -> Self:
        """Count the (text, concept id) pairs of training mentions.

        several  (text, ids) of all mentions, with one concept, several or none; decides which texts are composites
        """
        concepts: Counter[int] = Counter()
        surfaces: Counter[int] = Counter()
        pairs: Counter[int] = Counter()
        for text, id in meant:
            concept = crc_hash(id)
            concepts[concept] += 1
            for surface in _hashes(text):
                surfaces[surface] += 1
                pairs[_pair_hash(surface, concept)] += 1
        meanings: dict[int, Counter[tuple[str, ...]]] = {}
        for text, ids in several:
            meanings.setdefault(_hashes(text)[-1], Counter())[tuple(sorted(ids))] += 1
        composites = {
            surface: ids
            for surface, counts in sorted(meanings.items())
            for ids, count in counts.most_common(1)
            if len(ids) > 1 and 2 * count > counts.total()
        }
        concept_table, surface_table, pair_table = map(CountTable.of, (concepts, surfaces, pairs))
        return cls(concept_table, surface_table, pair_table, dict(kinds or {}), composites)

    def emptied(self) -> Self:
        """A copy without counts and composites. `kinds` stays: it describes kinds of id, not mentions."""
        return self.of((), kinds=self.kinds)

    def composite(self, text: str) -> tuple[str, ...]:
        """Ids of the several concepts that a text meant in most training mentions, otherwise ()."""
        return self.composites.get(_hashes(text)[-1], ()) if self.composites else ()

    def hashes(self, texts: Sequence[str]) -> Ints:
        """(N, 2) hashes of texts, for `seen` and `meant`: by words, and by stems."""
        return np.array([_hashes(text) for text in texts], np.int64).reshape(len(texts), 2)

    def seen(self, texts: Ints) -> Floats:
        """How often each text, given by its hash, was seen; any shape."""
        return self.surfaces.get(texts)

    def meant(self, texts: Ints, ids: Ints) -> Floats:
        """How often a text meant a concept, both given by their hashes; any shape."""
        with np.errstate(over="ignore"):
            return self.pairs.get((texts * _MIX) ^ ids)


def id_prefix(id: str) -> str:
    """An id without its final digits: "MESH:D" of MESH:D003920."""
    return id.rstrip("0123456789")


# A mention is looked up as written, with abbreviations expanded, and as a composite.
@lru_cache(maxsize=8192)
def _hashes(text: str) -> tuple[int, ...]:
    return crc_hash(simplify(text)), crc_hash("\n" + "\n".join(sorted(set(stems(text)))))


def _pair_hash(surface: int, concept: int) -> int:
    with np.errstate(over="ignore"):
        return int((np.int64(surface) * _MIX) ^ np.int64(concept))
