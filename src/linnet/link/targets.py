"""The terminologies that are linked against, searched together as if they were one.

Rows of the second terminology follow those of the first and so on; with one terminology they are the store's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from linnet.encode import Encoder
from linnet.recognise import Names
from linnet.rerank.name_parts import NameParts
from linnet.rerank.names import Parts
from linnet.retrieve.exact import ExactIndex
from linnet.retrieve.fuse import cascade, fuse_scores
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.index import HasVectors, Index
from linnet.retrieve.spelling import Spelling, respelt
from linnet.terminology import Terminology
from linnet.terminology.overrides import Overrides

__all__ = ["Mask", "Target", "Targets"]

Mask = np.ndarray[Any, np.dtype[np.bool_]]
Ints = np.ndarray[Any, np.dtype[np.int32]]
Wide = np.ndarray[Any, np.dtype[np.int64]]
Fixed = np.ndarray[Any, np.dtype[np.int16]]
Floats = np.ndarray[Any, np.dtype[np.float32]]

# Kinds of indexes whose scores are cosines, 0 to 1 for all that matters.
_COSINES = frozenset({"char", "word", "sparse", "dense"})


class Target:
    """One terminology with its open indexes, the concepts that may be linked to, and its overrides."""

    def __init__(
        self,
        terminology: Terminology,
        indexes: Sequence[Index],
        *,
        overrides: Overrides,
        allowed: Mask | None = None,
        parts: NameParts | None = None,
        spelling: Spelling | None = None,
    ) -> None:
        """
        parts     of its names, where they have been taken apart for a reranker
        spelling  its vocabulary, where misspelt words are to be set right
        """
        self.terminology = terminology
        self.indexes = tuple(indexes)
        self._parts, self.spelling = parts, spelling
        self.overrides = overrides
        self.allowed = allowed

    def search(self, texts: Sequence[str], *, k: int) -> Hits:
        """The k best concepts for each text: exact matches, then what the other indexes find; overrides applied.

        Indexes that score by cosine make one ranking, by the mean of their cosines.
        """
        # Overrides may take candidates away; with as many more as they can take, k are left.
        wanted = k + self.overrides.spare
        found = [index.search(texts, k=wanted, allowed=self.allowed) for index in self.indexes]
        hits = cascade(_fused([index.kind for index in self.indexes], found, k=wanted), k=wanted)
        return self.overrides.apply(texts, hits, allowed=self.allowed).top(k)

    def name_parts(self, rows: Wide) -> Parts | None:
        """(M,) what name rows consist of; None where they have not been taken apart beforehand."""
        return None if self._parts is None else self._parts.take(rows)

    def name_vectors(self, rows: Wide, encoder: Encoder) -> Fixed | None:
        """(M, D) vectors of name rows by this encoder; None where no index has them."""
        for index in self.indexes:
            if isinstance(index, HasVectors) and index.encoder.digest == encoder.digest:
                return index.name_vectors(rows)
        return None

    def names(self) -> Names:
        """What recognisers look up."""
        exact = next((index for index in self.indexes if isinstance(index, ExactIndex)), None)
        lookup = (exact or ExactIndex.open(self.terminology)).lookup
        return Names(
            lookup=lookup,
            text=self.terminology.names.__getitem__,
            type=partial(_type, self),
            types=frozenset(self.terminology.type_names),
        )


class Targets:
    """Several terminologies as one: (N, k) hits over all, and what their rows mean."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self.targets = tuple(targets)
        self._concepts = np.cumsum([0, *(len(target.terminology) for target in targets)])
        self._names = np.cumsum([0, *(len(target.terminology.names) for target in targets)])

    def search(self, texts: Sequence[str], *, k: int) -> Hits:
        """The k best concepts of all terminologies; ties go to the terminology named first.

        A concept that several terminologies have under one id is there once, where it scored best.
        """
        found = [target.search(texts, k=k) for target in self.targets]
        if len(found) == 1:
            return found[0]
        shifted = [self._shift(hits, number) for number, hits in enumerate(found)]
        scores = np.concatenate([hits.scores for hits in shifted], axis=1)
        scores[self._repeated(np.concatenate([hits.concepts for hits in shifted], axis=1), scores)] = -np.inf
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        columns = zip(*((h.concepts, h.names, h.scores, h.origins) for h in shifted), strict=True)
        best = Hits(*(np.take_along_axis(np.concatenate(parts, axis=1), order, 1) for parts in columns))
        nothing = np.isneginf(np.take_along_axis(scores, order, 1))
        best.concepts[nothing] = best.names[nothing] = -1
        best.scores[nothing], best.origins[nothing] = -np.inf, 0
        return best

    @property
    def has_overrides(self) -> bool:
        """Whether people force or forbid links of any terminology."""
        return any(target.overrides for target in self.targets)

    def override(self, texts: Sequence[str], hits: Hits) -> Hits:
        """(N, k) the hits with every terminology's overrides for these texts applied; "" leaves a row alone."""
        for number, target in enumerate(self.targets):
            hits = target.overrides.apply(
                texts,
                hits,
                allowed=target.allowed,
                first_concept=int(self._concepts[number]),
                first_name=int(self._names[number]),
            )
        return hits

    def named(self, texts: Sequence[str]) -> list[float]:
        """(N,) the score of each text's best exact match, 0 where it is no name of any terminology."""
        best = np.zeros(len(texts), np.float32)
        for target in self.targets:
            for index in target.indexes:
                if isinstance(index, ExactIndex) and texts:
                    scores = index.search(texts, k=1, allowed=target.allowed).scores[:, 0]
                    best = np.maximum(best, scores)  # −inf where there is none
        return best.tolist()

    def respelt(self, text: str) -> str | None:
        """The text with words that no terminology has set right; None where there is nothing to set right."""
        return respelt(text, [target.spelling for target in self.targets if target.spelling is not None])

    def known(self, id: str, *, k: int) -> Hits | None:
        """(1, k) a concept by its preferred name, with score 1; None where it is in no terminology or may not be linked to."""
        for number, target in enumerate(self.targets):
            for current in target.terminology.resolve(id):
                row = target.terminology.row(current)
                if target.allowed is None or target.allowed[row]:
                    name = int(target.terminology.first_name[row])
                    hits = Hits.empty(1, k)
                    hits.concepts[0, 0], hits.names[0, 0] = row, name
                    hits.scores[0, 0], hits.origins[0, 0] = 1.0, Origin.RERANKED
                    return self._shift(hits, number)
        return None

    def names(self) -> list[Names]:
        """What recognisers look up, a terminology after the other."""
        return [target.names() for target in self.targets]

    def concept(self, row: int) -> tuple[Terminology, int]:
        """The terminology a concept row belongs to, and the row there."""
        number = int(np.searchsorted(self._concepts, row, side="right")) - 1
        return self.targets[number].terminology, row - int(self._concepts[number])

    def id(self, row: int) -> str:
        """Id of a concept row."""
        terminology, local = self.concept(row)
        return terminology.ids[local]

    def preferred_name(self, row: int) -> str:
        """Preferred name of a concept row."""
        terminology, local = self.concept(row)
        return terminology.name(local)

    def name_text(self, row: int) -> str:
        """Text of a name row."""
        number = int(np.searchsorted(self._names, row, side="right")) - 1
        return self.targets[number].terminology.names[row - int(self._names[number])]

    def first_name(self, row: int) -> int:
        """Name row of the preferred name of a concept row."""
        number = int(np.searchsorted(self._concepts, row, side="right")) - 1
        local = self.targets[number].terminology.first_name[row - int(self._concepts[number])]
        return int(local) + int(self._names[number])

    def name_parts(self, rows: Wide) -> Parts | None:
        """(M,) what name rows consist of; None where those of a terminology have not been taken apart beforehand."""
        found = [(here, target.name_parts(own)) for here, target, own in self._homes(rows)]
        if any(parts is None for _, parts in found):
            return None
        out = Parts.empty(len(rows), 0)
        for here, parts in found:
            if parts is not None:
                out.put(here, parts)
        return out

    def name_vectors(self, rows: Wide, encoder: Encoder) -> Fixed | None:
        """(M, D) vectors of name rows by this encoder; None where no index of a terminology has them."""
        out = np.empty((len(rows), encoder.dimensions), np.int16)
        for here, target, own in self._homes(rows):
            vectors = target.name_vectors(own, encoder)
            if vectors is None:
                return None
            out[here] = vectors
        return out

    def _homes(self, rows: Wide) -> list[tuple[Any, Target, Wide]]:
        """Positions in `rows`, the terminology they belong to, and their rows there."""
        if len(self.targets) == 1:
            return [(slice(None), self.targets[0], rows)]
        numbers = np.searchsorted(self._names, rows, side="right") - 1
        places = [(number, np.flatnonzero(numbers == number)) for number in np.unique(numbers).tolist()]
        return [
            (here, self.targets[number], rows[here] - int(self._names[number])) for number, here in places
        ]

    def ids(self, rows: Ints) -> list[str]:
        """Ids of concept rows."""
        if len(self.targets) == 1:
            return self.targets[0].terminology.ids.take(rows)
        return [self.id(row) for row in rows.tolist()]

    def preferred_names(self, rows: Ints) -> list[str]:
        """Preferred names of concept rows."""
        if len(self.targets) == 1:
            terminology = self.targets[0].terminology
            return terminology.names.take(terminology.first_name[rows])
        return [self.preferred_name(row) for row in rows.tolist()]

    def name_texts(self, rows: Ints) -> list[str]:
        """Texts of name rows."""
        if len(self.targets) == 1:
            return self.targets[0].terminology.names.take(rows)
        return [self.name_text(row) for row in rows.tolist()]

    def _repeated(self, concepts: Ints, scores: Floats) -> Mask:
        """(N, M) true for a candidate whose id another one of its row has with a higher score, or further left."""
        same = concepts.copy()
        later = concepts >= self._concepts[1]
        rows, places = np.unique(concepts[later], return_inverse=True)
        same[later] = np.array([self._first_row(int(row)) for row in rows], np.int32)[places]
        # By id, then score: whatever follows its equal is a repetition.
        order = np.lexsort((-scores, same), axis=1)
        ranked = np.take_along_axis(same, order, 1)
        repeated = np.zeros(concepts.shape, dtype=bool)
        equal = (ranked[:, 1:] == ranked[:, :-1]) & (ranked[:, 1:] >= 0)
        np.put_along_axis(repeated, order[:, 1:], equal, 1)
        return repeated

    def _first_row(self, row: int) -> int:
        """The row of the same id in the first terminology that has it."""
        id = self.id(row)
        for number, target in enumerate(self.targets):
            local = target.terminology.row(id)
            if local >= 0:
                return local + int(self._concepts[number])
        return row

    def _shift(self, hits: Hits, number: int) -> Hits:
        concepts = np.where(hits.concepts < 0, -1, hits.concepts + self._concepts[number])
        names = np.where(hits.names < 0, -1, hits.names + self._names[number])
        return Hits(concepts.astype(np.int32), names.astype(np.int32), hits.scores, hits.origins)


def _fused(kinds: Sequence[str], found: Sequence[Hits], *, k: int) -> list[Hits]:
    """The rankings, those by cosine as one in the place of the first of them."""
    alike = [place for place, kind in enumerate(kinds) if kind in _COSINES]
    if len(alike) < 2:
        return list(found)
    one = fuse_scores(
        [found[place] for place in alike], weights=[1 / len(alike)] * len(alike), normalise="none", k=k
    )
    return [one if place == alike[0] else hits for place, hits in enumerate(found) if place not in alike[1:]]


def _type(target: Target, name_row: int) -> str | None:
    """The first type of the concept of a name; None where it may not be linked to."""
    row = int(target.terminology.name_concepts[name_row])
    if target.allowed is not None and not target.allowed[row]:
        return None
    return next(iter(target.terminology.types(row)), "")
