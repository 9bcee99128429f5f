"""Pairs of synonyms to learn from: every two names of a concept, a bounded number for each.

A *text* is a name in lower case; texts are numbered, each once, whatever the number of concepts that have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from linnet.errors import DataError
from linnet.terminology import Terminology
from linnet.text import fold

__all__ = ["Batch", "Synonyms"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Names of a batch, the two of each pair one after the other.

    texts     (B,) numbers of texts          labels  (B,) concept of each
    homonyms  (B, B) pairs of rows with a concept in common although their labels differ: one text that is a name of
              two concepts, or two texts that are synonyms in another concept; never negatives of each other
    """

    texts: Ints
    labels: Ints
    homonyms: Mask


class Synonyms:
    """Texts, their concepts, and pairs of texts of one concept.

    texts   the distinct texts          concepts  how many concepts there are
    pairs   (P, 2) numbers of texts     labels    (P,) concept of each pair
    """

    def __init__(self, groups: Iterable[Sequence[str]], *, most: int = 50, seed: int = 0) -> None:
        """
        groups  the names of each concept
        most    pairs of a concept; a random choice where it has more (SapBERT §2.1: 50)

        Raises DataError when no concept has two names.
        """
        numbers: dict[str, int] = {}
        members = [
            list(dict.fromkeys(numbers.setdefault(fold(n), len(numbers)) for n in names)) for names in groups
        ]
        self.texts = list(numbers)
        self.concepts = len(members)
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
        order = np.argsort(flat, kind="stable")
        self._concepts_of: Ints = owners[order]
        self._starts: Ints = np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=len(self.texts)))])

    @classmethod
    def of(cls, terminologies: Sequence[Terminology], *, most: int = 50, seed: int = 0) -> Self:
        """The names of all concepts of the terminologies; a concept that several have under one id is one concept."""
        names: dict[str, list[str]] = {}
        for terminology in terminologies:
            for row in range(len(terminology)):
                found = terminology.names.take(terminology.name_rows(row))
                names.setdefault(terminology.ids[row], []).extend(found)
        return cls(names.values(), most=most, seed=seed)

    def batches(self, *, pairs: int, rng: np.random.Generator) -> Iterator[Batch]:
        """The pairs once, in an order that `rng` draws, so many at a time; a smaller rest is left out.

        SapBERT takes 256 pairs, that is 512 names.
        """
        order = rng.permutation(len(self.pairs))
        for start in range(0, len(order) - pairs + 1, pairs):
            picked = order[start : start + pairs]
            texts, labels = self.pairs[picked].ravel(), np.repeat(self.labels[picked], 2)
            yield Batch(texts, labels, self.homonyms(texts, labels))

    def homonyms(self, texts: Ints, labels: Ints) -> Mask:
        """(B, B) as in `Batch`."""
        from scipy.sparse import csr_array

        counts = self._starts[texts + 1] - self._starts[texts]
        places = np.repeat(self._starts[texts] - np.cumsum(counts) + counts, counts) + np.arange(
            int(counts.sum())
        )
        offsets = np.concatenate([[0], np.cumsum(counts)])
        ones = np.ones(len(places), np.float32)
        belongs = csr_array((ones, self._concepts_of[places], offsets), shape=(len(texts), self.concepts))
        shared = (belongs @ belongs.T).toarray() > 0
        mask: Mask = shared & (labels[:, None] != labels[None, :])
        return mask


def _pairs(texts: Ints, most: int, rng: np.random.Generator) -> Ints:
    """(≤ most, 2) combinations of the texts: all of them, or as many drawn without repetition."""
    first, second = np.triu_indices(len(texts), k=1)
    if len(first) > most:
        kept = np.sort(rng.choice(len(first), size=most, replace=False))
        first, second = first[kept], second[kept]
    return np.stack([texts[first], texts[second]], axis=1)
