"""DILBERT's ways to choose, for a mention, names to be close to and names to be far from.

    strategy              positives                                    negatives
    random                names of the concept                         names of other concepts
    random+parents        … and k names of its parents                 names of other concepts
    resampling            the concept's names closest to the mention   names ranked above the correct one
    resampling+siblings   the concept's names closest to the mention   … and k names of siblings

Resampling needs vectors of the mentions and names from a model trained with a random strategy before.
Source: DILBERT §3.3, with 30 positives and 5 negatives a mention. Its release takes all ancestors' names for parents', and
for negatives those ranked after the last gold name; the paper is followed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.errors import RequestError, UnknownNameError
from linnet.terminology import Terminology
from linnet.text import simplify

__all__ = ["STRATEGIES", "Sampler", "Vectors"]

STRATEGIES = ("random", "random+parents", "resampling", "resampling+siblings")
_BLOCK = 256  # mentions compared with all names at a time


@dataclass(frozen=True, slots=True)
class Vectors:
    """What resampling compares by Euclidean distance.

    mentions  (M, D)
    names     (N, D) of the store's names, or of those in `rows`
    rows      (N,) name rows, among them all of the mentions' concepts; None for all names
    """

    mentions: Floats
    names: Floats
    rows: Ints | None = None


class Sampler:
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
    ) -> None:
        """
        k        names of parents or siblings that are added (1 to 5; the paper found 2 and 5 best)
        nearest  how many of the names closest to a mention resampling looks at

        Raises UnknownNameError for an unknown strategy, RequestError where it needs a hierarchy and there is none.
        """
        if strategy not in STRATEGIES:
            raise UnknownNameError("sampling strategy", strategy, STRATEGIES)
        if "+" in strategy and not terminology.manifest["counts"]["parents"]:
            raise RequestError(
                f"Strategy '{strategy}' needs a hierarchy; {terminology.path} has none. Add one: "
                "linnet terminology merge DIR --enrich OTHER --map MAPPING.sssom.tsv -o DIR2"
            )
        self.terminology = terminology
        self.strategy = strategy
        self.positives, self.negatives, self.k, self.nearest = positives, negatives, k, nearest

    def triplets(
        self, concepts: Sequence[int], rng: np.random.Generator, vectors: Vectors | None = None
    ) -> Ints:
        """(T, 3): position of the mention, name row to be close to, name row to be far from.

        concepts  row of the concept of each mention
        vectors   for the resampling strategies

        Every positive of a mention comes with every negative. Raises RequestError where vectors are missing.
        """
        if self.strategy.startswith("resampling"):
            if vectors is None:
                raise RequestError(
                    f"Strategy '{self.strategy}' needs vectors of a model trained with 'random' before."
                )
            chosen = self._resampled(concepts, rng, vectors)
        else:
            chosen = [(self._own(row, rng), self._others(row, self.negatives, rng)) for row in concepts]
        parts = []
        for mention, (near, far) in enumerate(chosen):
            if self.strategy == "random+parents":
                near = np.concatenate(
                    [near, self._names_of(self.terminology.parents(concepts[mention]), rng)]
                )
            elif self.strategy == "resampling+siblings":
                far = np.concatenate([far, self._names_of(self._siblings(concepts[mention]), rng)])
            far = self._without(near, concepts[mention], far)
            pairs = np.stack(np.meshgrid(near, far, indexing="ij"), axis=-1).reshape(-1, 2)
            parts.append(np.column_stack([np.full(len(pairs), mention), pairs]))
        return np.concatenate([np.zeros((0, 3), np.int64), *parts])

    def _own(self, row: int, rng: np.random.Generator) -> Ints:
        return _some(np.asarray(self.terminology.name_rows(row)), self.positives, rng)

    def _others(self, row: int, count: int, rng: np.random.Generator) -> Ints:
        """Names of other concepts, drawn from all names that are not the concept's own."""
        own = self.terminology.name_rows(row)
        others = len(self.terminology.names) - len(own)
        drawn = rng.choice(others, size=min(count, others), replace=False).astype(np.int64)
        return drawn + len(own) * (drawn >= own.start)

    def _without(self, near: Ints, row: int, names: Ints) -> Ints:
        """The names that an encoder, which reads `simplify` forms, can tell from the positives and from the concept's own
        names: what is right cannot be wrong."""
        right = self._forms(near) | self._forms(self.terminology.name_rows(row))
        return names[[simplify(self.terminology.names[int(name)]) not in right for name in names]]

    def _forms(self, rows: Sequence[int] | Any) -> set[str]:
        return {simplify(text) for text in self.terminology.names.take(rows)}

    def _names_of(self, rows: Sequence[int] | Any, rng: np.random.Generator) -> Ints:
        """k names of these concepts, or all where they have fewer."""
        names = [name for row in rows for name in self.terminology.name_rows(int(row))]
        return _some(np.asarray(names, np.int64), self.k, rng)

    def _siblings(self, row: int) -> list[int]:
        """Other children of the concept's parents."""
        parents = self.terminology.parents(row)
        return sorted(
            {int(child) for parent in parents for child in self.terminology.children(int(parent))} - {row}
        )

    def _resampled(
        self, concepts: Sequence[int], rng: np.random.Generator, vectors: Vectors
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
        far = above[: self.negatives]
        if len(far) < self.negatives:
            extra = self._others(row, self.negatives, rng)
            far = np.concatenate([far, extra[~np.isin(extra, far)]])[: self.negatives]
        return mine.astype(np.int64), far.astype(np.int64)


def _smallest(values: Floats, count: int) -> Ints:
    """Places of the smallest values, ascending, equal ones in order: all are not sorted for a few."""
    limit = np.partition(values, count - 1)[count - 1] if count < len(values) else np.inf
    places = np.flatnonzero(values <= limit)
    return places[np.argsort(values[places], kind="stable")][:count]


def _some(rows: Ints, count: int, rng: np.random.Generator) -> Ints:
    return rows if len(rows) <= count else rng.choice(rows, size=count, replace=False)
