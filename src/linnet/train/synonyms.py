"""Pairs of synonyms to learn from: pairs of a concept's names, a bounded number of each.

A *text* is a name in lower case. Each distinct text has one number, however many concepts share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from linnet.arrays import Ints, Mask
from linnet.encode.features import ranges
from linnet.errors import DataError
from linnet.terminology import Terminology
from linnet.words.text import fold

__all__ = ["Synonyms"]


class Synonyms:
    """Texts, their concepts, and pairs of texts of one concept.

    texts   the distinct texts          concepts     number of concepts
    pairs   (P, 2) numbers of texts     labels       (P,) concept of each pair
    ids     of the concepts, if given   first_texts  (concepts,) number of each concept's first text
    name_texts, name_concepts
            (N,) text and concept of every name, by concept
    """

    def __init__(
        self, groups: Iterable[Sequence[str]], *, ids: Sequence[str] = (), most: int = 50, seed: int = 0
    ) -> None:
        """
        groups  the names of each concept; ids  the id of each
        most    pairs of a concept, drawn where it has more (SapBERT §2.1: 50)

        Raises DataError where no concept has two names.
        """
        numbers: dict[str, int] = {}
        members = [
            list(dict.fromkeys(numbers.setdefault(fold(n), len(numbers)) for n in names)) for names in groups
        ]
        self.texts = list(numbers)
        self.concepts = len(members)
        self.ids = list(ids)
        self.first_texts: Ints = np.fromiter((texts[0] if texts else -1 for texts in members), np.int64)
        rng = np.random.default_rng(seed)
        chosen = [_pairs(np.asarray(texts, np.int64), most, rng) for texts in members]
        self.pairs: Ints = np.concatenate([np.zeros((0, 2), np.int64), *chosen])
        self.labels: Ints = np.repeat(np.arange(len(chosen)), [len(pairs) for pairs in chosen])
        if not len(self.pairs):
            raise DataError(
                f"none of {self.concepts:,} concepts has two names, so there are no synonyms to learn from. "
                "Use a terminology with synonyms."
            )
        owners = np.repeat(np.arange(len(members)), [len(texts) for texts in members])
        flat = np.fromiter((text for texts in members for text in texts), np.int64, len(owners))
        self.name_texts: Ints = flat
        self.name_concepts: Ints = owners
        order = np.argsort(flat, kind="stable")
        self._concepts_of: Ints = owners[order]
        self._starts: Ints = np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=len(self.texts)))])

    @classmethod
    def of(cls, terminologies: Sequence[Terminology], *, most: int = 50, seed: int = 0) -> Self:
        """The names of all concepts of the terminologies; concepts that share an id are one concept.

        An alternative id in an earlier terminology stands for its concept there.
        """
        names: dict[str, list[str]] = {}
        for number, terminology in enumerate(terminologies):
            for row, id in enumerate(terminology.ids.take(range(len(terminology)))):
                texts = terminology.names.take(terminology.name_rows(row))
                names.setdefault(_first_id(id, terminologies[:number]), []).extend(texts)
        return cls(names.values(), ids=list(names), most=most, seed=seed)

    @cached_property
    def _relatives(self) -> Any:
        """(concepts, concepts) sparse: pairs with a text in common, including each concept with itself."""
        from scipy.sparse import csr_array

        owners, starts = self._concepts_of, self._starts
        ones = np.ones(len(owners), np.int8)
        owned = csr_array((ones, owners, starts), shape=(len(self.texts), self.concepts))
        shared = owned[np.flatnonzero(np.diff(starts) > 1)]
        related = (shared.T @ shared).astype(bool)
        return related.tocsr()

    def homonyms(self, texts: Ints, labels: Ints) -> Mask:
        """(B, B) pairs of rows that are never negatives although their labels differ: their texts share a concept, or
        their concepts share a text.

        texts  (B,) numbers of texts          labels  (B,) concept of each
        """
        from scipy.sparse import csr_array

        counts = self._starts[texts + 1] - self._starts[texts]
        places = ranges(self._starts[texts], counts)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        ones = np.ones(len(places), np.float32)
        belongs = csr_array((ones, self._concepts_of[places], offsets), shape=(len(texts), self.concepts))
        shared = (belongs @ belongs.T).toarray() > 0
        concepts, place = np.unique(labels, return_inverse=True)
        related = self._relatives[concepts][:, concepts].toarray()[np.ix_(place, place)]
        mask: Mask = (shared | related) & (labels[:, None] != labels[None, :])
        return mask


def _first_id(id: str, earlier: Sequence[Terminology]) -> str:
    for terminology in earlier:
        current = terminology.resolve(id)
        if len(current) == 1:
            return current[0]
    return id


def _pairs(texts: Ints, most: int, rng: np.random.Generator) -> Ints:
    """(≤ most, 2) combinations of the texts, drawn without repetition where there are more."""
    if len(texts) < 2:
        return np.zeros((0, 2), np.int64)
    if len(texts) == 2:
        return texts[None]
    first, second = np.triu_indices(len(texts), k=1)
    if len(first) > most:
        kept = np.sort(rng.choice(len(first), size=most, replace=False))
        first, second = first[kept], second[kept]
    return np.stack([texts[first], texts[second]], axis=1)
