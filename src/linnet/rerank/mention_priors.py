"""What training mentions say about concepts and texts, as numbers to look up: how often each was meant.

Kept by hashes of concept ids and of texts, so that it serves any terminology with these ids; what is not in it counts 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Self

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.rerank.name_features import crc_hash, stems
from linnet.text import simplify

__all__ = ["MentionPriors", "id_prefix"]

_MIX = np.int64(0x2545F4914F6CDD1D)


class CountTable:
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


class MentionPriors:
    """Counts of training mentions.

    concepts  hashes of ids      → how often each was meant
    surfaces  hashes of texts    → how often each was seen
    pairs     hashes of a text with a concept → how often the one meant the other
    kinds     kind of id (`id_prefix`) → logarithm of how much oftener it is meant than proposed
    composites  hashes of texts   → ids of the concepts that they meant together, more often than anything else
    """

    def __init__(
        self,
        concepts: CountTable,
        surfaces: CountTable,
        pairs: CountTable,
        *,
        kinds: Mapping[str, float] | None = None,
        composites: Mapping[int, tuple[str, ...]] | None = None,
    ) -> None:
        self.concepts, self.surfaces, self.pairs = concepts, surfaces, pairs
        self.kinds = dict(kinds or {})
        self.composites = dict(composites or {})

    @classmethod
    def of(
        cls,
        meant: Iterable[tuple[str, str]],
        *,
        kinds: Mapping[str, float] | None = None,
        several: Iterable[tuple[str, tuple[str, ...]]] = (),
    ) -> Self:
        """Counted from the (text, concept id) of training mentions.

        several  (text, ids) of all of them, those with one concept, several or none, which says what texts are composites
        """
        concepts: Counter[int] = Counter()
        surfaces: Counter[int] = Counter()
        pairs: Counter[int] = Counter()
        for text, id in meant:
            of = crc_hash(id)
            concepts[of] += 1
            for surface in _hashes(text):
                surfaces[surface] += 1
                pairs[_joined(surface, of)] += 1
        sets: dict[int, Counter[tuple[str, ...]]] = {}
        for text, ids in several:
            sets.setdefault(_hashes(text)[-1], Counter())[tuple(sorted(ids))] += 1
        composites = {
            surface: ids
            for surface, counts in sorted(sets.items())
            for ids, count in counts.most_common(1)
            if len(ids) > 1 and 2 * count > counts.total()
        }
        tables = (CountTable.of(counts) for counts in (concepts, surfaces, pairs))
        return cls(*tables, kinds=kinds, composites=composites)

    def emptied(self) -> Self:
        """The same without the counts of concepts, surfaces and pairs, and without composites. `kinds` stays: it is a
        property of the kinds of id, not of any mention."""
        return type(self)(*(CountTable.of({}) for _ in range(3)), kinds=self.kinds)

    def composite(self, text: str) -> tuple[str, ...]:
        """Ids of the concepts that a text meant together in most training mentions; () where it did not."""
        return self.composites.get(_hashes(text)[-1], ()) if self.composites else ()

    def hashes(self, texts: Sequence[str]) -> Ints:
        """(N, 2) what `seen` and `meant` take for texts."""
        return np.array([_hashes(text) for text in texts], np.int64).reshape(len(texts), 2)

    def seen(self, texts: Ints) -> Floats:
        """How often each text was seen; any shape."""
        return self.surfaces.get(texts)

    def meant(self, texts: Ints, ids: Ints) -> Floats:
        """How often a text meant the concept whose id has this hash; any shape."""
        with np.errstate(over="ignore"):
            return self.pairs.get((texts * _MIX) ^ ids)


def id_prefix(id: str) -> str:
    """An id without its digits: "MESH:D" of MESH:D003920."""
    return id.rstrip("0123456789")


# A mention's text is asked for as written, spelt out, and as a composite.
@lru_cache(maxsize=8192)
def _hashes(text: str) -> tuple[int, ...]:
    return crc_hash(simplify(text)), crc_hash("\n" + "\n".join(sorted(set(stems(text)))))


def _joined(surface: int, concept: int) -> int:
    with np.errstate(over="ignore"):
        return int((np.int64(surface) * _MIX) ^ np.int64(concept))
