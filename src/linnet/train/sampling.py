"""DILBERT's strategies for choosing a mention's positive and negative names.

    strategy              positives                                    negatives
    random                names of the concept                         names of other concepts
    random+parents        … and k names of its parents                 names of other concepts
    resampling            the concept's names closest to the mention   names ranked above the correct one
    resampling+siblings   the concept's names closest to the mention   … and k names of siblings

Resampling needs vectors of mentions and names from a model trained with a random strategy.
Source: DILBERT §3.3, with 30 positives and 5 negatives for each mention. Its release takes the names of all ancestors, and
negatives ranked after the last gold name; linnet follows the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.advice import Step
from linnet.arrays import Floats, Ints, Mask
from linnet.errors import RequestError, UnknownNameError
from linnet.terminology import Terminology
from linnet.words.text import simplify

__all__ = ["STRATEGIES", "NameVectors", "TripletSampler", "own_and_others"]

STRATEGIES = ("random", "random+parents", "resampling", "resampling+siblings")
_BLOCK = 256  # mentions compared with all names at a time


@dataclass(frozen=True, slots=True)
class NameVectors:
    """Vectors that resampling compares by Euclidean distance.

    mentions  (M, D)
    names     (N, D) of the terminology's names, or of those in `rows`
    rows      (N,) name rows, including all names of the mentions' concepts; None for all names
    """

    mentions: Floats
    names: Floats
    rows: Ints | None = None


class TripletSampler:
    """Draws triplets for mentions of a terminology's concepts."""

    def __init__(
        self,
        terminology: Terminology,
        strategy: str,
        *,
        positives: int = 30,
        negatives: int = 5,
        k: int = 2,
        nearest: int = 50,
        all_above: bool = False,
    ) -> None:
        """
        k          names of parents or siblings to add (1 to 5; the paper found 2 and 5 best)
        nearest    names closest to a mention that resampling considers
        all_above  resampling takes all of these that rank above the correct one, as the paper says, not at most `negatives`

        Raises UnknownNameError for an unknown strategy, RequestError where the terminology lacks the hierarchy it needs.
        """
        if strategy not in STRATEGIES:
            raise UnknownNameError("sampling strategy", strategy, STRATEGIES)
        if "+" in strategy and not terminology.manifest["counts"]["parents"]:
            raise RequestError(
                f"Strategy '{strategy}' needs a hierarchy; {terminology.path} has none.",
                Step.ADD_HIERARCHY(),
            )
        self.terminology = terminology
        self.strategy = strategy
        self.positives, self.negatives, self.k, self.nearest = positives, negatives, k, nearest
        self.all_above = all_above

    def triplets(
        self, concepts: Sequence[int], rng: np.random.Generator, vectors: NameVectors | None = None
    ) -> Ints:
        """(T, 3): position of the mention, row of a positive name, row of a negative name.

        concepts  row of the concept of each mention
        vectors   for the resampling strategies

        Each positive of a mention is paired with each negative. Raises RequestError where vectors are missing.
        """
        if self.strategy.startswith("resampling"):
            if vectors is None:
                raise RequestError(
                    f"Strategy '{self.strategy}' needs vectors of a model trained with strategy 'random'."
                )
            chosen = self._resampled(concepts, rng, vectors)
        else:
            chosen = [(self._own(row, rng), self._others(row, self.negatives, rng)) for row in concepts]
        triplets = [np.zeros((0, 3), np.int64)]
        for mention, (near, far) in enumerate(chosen):
            if self.strategy == "random+parents":
                near = np.concatenate(
                    [near, self._names_of(self.terminology.parents(concepts[mention]), rng)]
                )
            elif self.strategy == "resampling+siblings":
                far = np.concatenate([far, self._names_of(self._siblings(concepts[mention]), rng)])
            far = self._without(near, concepts[mention], far)
            pairs = np.stack(np.meshgrid(near, far, indexing="ij"), axis=-1).reshape(-1, 2)
            triplets.append(np.column_stack([np.full(len(pairs), mention), pairs]))
        return np.concatenate(triplets)

    def _own(self, row: int, rng: np.random.Generator) -> Ints:
        return _some(np.asarray(self.terminology.name_rows(row)), self.positives, rng)

    def _others(self, row: int, count: int, rng: np.random.Generator) -> Ints:
        """Names drawn from all that are not the concept's own."""
        own = self.terminology.name_rows(row)
        others = len(self.terminology.names) - len(own)
        drawn = rng.choice(others, size=min(count, others), replace=False).astype(np.int64)
        return drawn + len(own) * (drawn >= own.start)

    def _without(self, near: Ints, row: int, names: Ints) -> Ints:
        """The names whose `simplify` form, which the encoder reads, is no positive and no name of the concept."""
        right = self._forms(near) | self._forms(self.terminology.name_rows(row))
        return names[[simplify(self.terminology.names[int(name)]) not in right for name in names]]

    def _forms(self, rows: Sequence[int] | Any) -> set[str]:
        return {simplify(text) for text in self.terminology.names.take(rows)}

    def _names_of(self, rows: Sequence[int] | Any, rng: np.random.Generator) -> Ints:
        """k names of these concepts, or all if there are fewer."""
        names = [name for row in rows for name in self.terminology.name_rows(int(row))]
        return _some(np.asarray(names, np.int64), self.k, rng)

    def _siblings(self, row: int) -> list[int]:
        """Other children of the concept's parents."""
        parents = self.terminology.parents(row)
        return sorted(
            {int(child) for parent in parents for child in self.terminology.children(int(parent))} - {row}
        )

    def _resampled(
        self, concepts: Sequence[int], rng: np.random.Generator, vectors: NameVectors
    ) -> list[tuple[Ints, Ints]]:
        chosen = []
        for start in range(0, len(concepts), _BLOCK):
            block = vectors.mentions[start : start + _BLOCK]
            # The mention's own length does not change which names are nearest.
            away = np.square(vectors.names).sum(1) - 2 * block @ vectors.names.T
            if vectors.rows is not None:
                known = away
                away = np.full((len(block), len(self.terminology.names)), np.inf, np.float32)
                away[:, vectors.rows] = known
            for row, distances in zip(concepts[start : start + _BLOCK], away, strict=True):
                chosen.append(self._by_distance(row, distances, rng))
        return chosen

    def _by_distance(self, row: int, distances: Floats, rng: np.random.Generator) -> tuple[Ints, Ints]:
        own = self.terminology.name_rows(row)
        mine = np.argsort(distances[own.start : own.stop], kind="stable")[: self.positives] + own.start
        above = _smallest(distances, self.nearest)
        above = above[distances[above] < distances[mine[0]]]
        far = above if self.all_above else above[: self.negatives]
        if len(far) < self.negatives:
            extra = self._others(row, self.negatives, rng)
            far = np.concatenate([far, extra[~np.isin(extra, far)]])[: self.negatives]
        return mine.astype(np.int64), far.astype(np.int64)


def _smallest(values: Floats, count: int) -> Ints:
    """Places of the smallest values, ascending, ties in order, without sorting all values."""
    limit = np.partition(values, count - 1)[count - 1] if count < len(values) else np.inf
    places = np.flatnonzero(values <= limit)
    return places[np.argsort(values[places], kind="stable")][:count]


def own_and_others(own: Mask, others: int | None, rng: np.random.Generator) -> Ints:
    """Ascending rows: all where `own` (N,) is true, and so many drawn from the rest; None for all N rows."""
    if others is None:
        return np.arange(len(own))
    rest = np.flatnonzero(~own)
    drawn = rng.choice(rest, size=min(others, len(rest)), replace=False)
    return np.sort(np.concatenate([np.flatnonzero(own), drawn]))


def _some(rows: Ints, count: int, rng: np.random.Generator) -> Ints:
    return rows if len(rows) <= count else rng.choice(rows, size=count, replace=False)
