"""The terminologies that are linked against, searched together as if they were one.

Rows of the second terminology follow those of the first and so on; with one terminology they are the store's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linnet.arrays import Fixed, Floats, Ints, Mask, Rows
from linnet.encode import Encoder
from linnet.recognise import Names
from linnet.rerank.name_feature_index import NameFeatureIndex
from linnet.rerank.name_features import NameFeatures
from linnet.retrieve.exact import ExactIndex
from linnet.retrieve.fuse import cascade, fuse_scores
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.index import HasVectors, Index
from linnet.retrieve.spelling import Spelling, respelt
from linnet.terminology import Terminology
from linnet.terminology.overrides import Overrides

__all__ = ["ExactMatches", "Member", "TerminologyGroup"]

# Kinds of indexes whose scores are cosines, 0 to 1 for all that matters.
_COSINES = frozenset({"char", "word", "sparse", "dense"})


class ExactMatches(NamedTuple):
    """What the exact indexes have for N texts, before the other indexes are searched.

    hits   of each member in turn, (N, more than k); None where a member has no exact index
    best   (N,) score of the best match, overrides applied; 0 without a match
    """

    hits: tuple[Hits | None, ...]
    best: Floats

    def take(self, rows: Any) -> ExactMatches:
        """The matches of these texts (an index array or slice)."""
        return ExactMatches(
            tuple(None if hits is None else hits.take(rows) for hits in self.hits), self.best[rows]
        )

    def followed_by(self, others: ExactMatches) -> ExactMatches:
        """Those of these texts, then those of others."""
        pairs = zip(self.hits, others.hits, strict=True)
        hits = tuple(None if a is None or b is None else Hits.stack([a, b]) for a, b in pairs)
        return ExactMatches(hits, np.concatenate([self.best, others.best]))


class Member:
    """One terminology with its open indexes, the concepts that may be linked to, and its overrides."""

    def __init__(
        self,
        terminology: Terminology,
        indexes: Sequence[Index],
        *,
        overrides: Overrides,
        allowed: Mask | None = None,
        name_features: NameFeatureIndex | None = None,
        spelling: Spelling | None = None,
        learned: bool = False,
    ) -> None:
        """
        name_features  the index of name features for a reranker, if there is one
        spelling       the vocabulary for misspelt words; None: words stay as they are
        learned        further names of another member's concepts, which are not looked up by themselves
        """
        self.terminology = terminology
        self.indexes = tuple(indexes)
        self._name_features, self.spelling = name_features, spelling
        self.overrides = overrides
        self.allowed, self.learned = allowed, learned

    @property
    def exact_index(self) -> ExactIndex | None:
        """The exact index among `indexes`."""
        return next((index for index in self.indexes if isinstance(index, ExactIndex)), None)

    def exact(self, texts: Sequence[str], *, k: int) -> tuple[Hits | None, Floats]:
        """The exact matches that `search` is to be given, and (N,) the score of the best, overrides applied."""
        index = self.exact_index
        if index is None:
            return None, np.zeros(len(texts), np.float32)
        hits = index.search(texts, k=k + self.overrides.spare, allowed=self.allowed)
        best = self.overrides.apply(texts, hits, allowed=self.allowed).scores[:, 0]
        return hits, np.maximum(best, np.float32(0))

    def search(self, texts: Sequence[str], *, k: int, exact: Hits | None = None) -> Hits:
        """The k best concepts for each text: exact matches, then what the other indexes find; overrides applied.

        Indexes that score by cosine make one ranking, by the mean of their cosines.

        exact  the exact matches for these texts and this k, if they are known
        """
        # Overrides may take candidates away; with as many more as they can take, k are left.
        wanted = k + self.overrides.spare
        rankings = [
            exact
            if exact is not None and isinstance(index, ExactIndex)
            else index.search(texts, k=wanted, allowed=self.allowed)
            for index in self.indexes
        ]
        hits = cascade(_fused([index.kind for index in self.indexes], rankings, k=wanted), k=wanted)
        return self.overrides.apply(texts, hits, allowed=self.allowed).top(k)

    def name_features(self, rows: Ints) -> NameFeatures | None:
        """(M,) the features of name rows; None where no index has them."""
        return None if self._name_features is None else self._name_features.take(rows)

    def name_vectors(self, rows: Ints, encoder: Encoder) -> Fixed | None:
        """(M, D) vectors of name rows by this encoder; None where no index has them."""
        for index in self.indexes:
            if isinstance(index, HasVectors) and index.encoder.digest == encoder.digest:
                return index.name_vectors(rows)
        return None

    def names(self) -> Names:
        """What recognisers look up."""
        return Names(
            lookup=(self.exact_index or ExactIndex.open(self.terminology)).lookup,
            text=self.terminology.names.__getitem__,
            type=partial(_type, self),
            types=frozenset(self.terminology.type_names),
        )


class TerminologyGroup:
    """Several terminologies as one: (N, k) hits over all, and what their rows mean."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = tuple(members)
        self._concepts = np.cumsum([0, *(len(member.terminology) for member in members)])
        self._names = np.cumsum([0, *(len(member.terminology.names) for member in members)])

    @property
    def given(self) -> list[Member]:
        """The members whose concepts people look up: all but names that were learnt."""
        return [member for member in self.members if not member.learned]

    # ── searching ────────────────────────────────────────────────────────────────────────────────────────

    def exact(self, texts: Sequence[str], *, k: int) -> ExactMatches:
        """What the exact indexes have for texts that are going to be searched for with this k."""
        matches = [member.exact(texts, k=k) for member in self.members]
        return ExactMatches(
            tuple(hits for hits, _ in matches),
            np.max([best for _, best in matches], axis=0) if texts else np.zeros(0, np.float32),
        )

    @property
    def sure_score(self) -> float:
        """A text whose best exact match scores so much has that match first in `search` too."""
        first = self.members[0].indexes[:1]
        alone = len(self.members) == 1 and any(isinstance(index, ExactIndex) for index in first)
        # Beside a weak match in one terminology, another terminology may have a stronger one that is not exact.
        return float(np.finfo(np.float32).tiny) if alone else 1.0

    def search(self, texts: Sequence[str], *, k: int, exact: ExactMatches | None = None) -> Hits:
        """The k best concepts of all terminologies; ties go to the terminology named first.

        A concept that several terminologies have under one id is there once, where it scored best.

        exact  what `exact` returned for these texts and this k, to save looking them up again
        """
        known = exact.hits if exact is not None else [None] * len(self.members)
        found = [
            member.search(texts, k=k, exact=hits) for member, hits in zip(self.members, known, strict=True)
        ]
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
        return any(member.overrides for member in self.members)

    def override(self, texts: Sequence[str], hits: Hits) -> Hits:
        """(N, k) the hits with every terminology's overrides for these texts applied; "" leaves a row alone."""
        for number, member in enumerate(self.members):
            hits = member.overrides.apply(
                texts,
                hits,
                allowed=member.allowed,
                first_concept=int(self._concepts[number]),
                first_name=int(self._names[number]),
            )
        return hits

    def respelt(self, text: str) -> str | None:
        """The text with words that no terminology has replaced by similar ones; None where nothing is replaced."""
        return respelt(text, [member.spelling for member in self.members if member.spelling is not None])

    def by_id(self, ids: Sequence[str], *, k: int) -> Hits:
        """(N, k) the concept of each id by its preferred name, with score 1; no candidate for an id that no terminology
        has, or that may not be linked to."""
        hits = Hits.empty(len(ids), k)
        for place, id in enumerate(ids):
            row = next(self._allowed_rows(id), -1)
            if row >= 0:
                hits.concepts[place, 0], hits.scores[place, 0] = row, 1.0
                hits.origins[place, 0] = Origin.RERANKED
        some = np.flatnonzero(hits.concepts[:, 0] >= 0)
        hits.names[some, 0] = self.first_names(hits.concepts[some, 0].astype(np.int64))
        return hits

    def _allowed_rows(self, id: str) -> Iterator[int]:
        for number, member in enumerate(self.members):
            for current in member.terminology.resolve(id):
                row = member.terminology.row(current)
                if member.allowed is None or member.allowed[row]:
                    yield row + int(self._concepts[number])

    # ── what rows mean ───────────────────────────────────────────────────────────────────────────────────

    def names(self) -> list[Names]:
        """What recognisers look up, a terminology after the other."""
        return [member.names() for member in self.members]

    def concepts(self, rows: Any) -> list[tuple[Any, Terminology, Ints]]:
        """Positions among concept rows, the terminology that these belong to, and their rows there."""
        return [(here, member.terminology, own) for here, member, own in self._homes(rows, self._concepts)]

    def ids(self, rows: Any) -> list[str]:
        """(M,) ids of concept rows."""
        return self._texts(rows, self._concepts, lambda terminology, own: terminology.ids.take(own))

    def preferred_names(self, rows: Any) -> list[str]:
        """(M,) preferred names of concept rows."""
        return self._texts(
            rows, self._concepts, lambda terminology, own: terminology.names.take(terminology.first_name[own])
        )

    def name_texts(self, rows: Any) -> list[str]:
        """(M,) texts of name rows."""
        return self._texts(rows, self._names, lambda terminology, own: terminology.names.take(own))

    def first_names(self, rows: Any) -> Ints:
        """(M,) name rows of the preferred names of concept rows."""
        out = np.empty(len(rows), np.int64)
        for number, (here, member, own) in self._numbered(rows, self._concepts):
            out[here] = member.terminology.first_name[own] + self._names[number]
        return out

    def sizes(self, rows: Any) -> Ints:
        """(M, 3) how many names, children and parents concept rows have."""
        out = np.empty((len(rows), 3), np.int64)
        for here, member, own in self._homes(rows, self._concepts):
            out[here] = member.terminology.sizes(own)
        return out

    def name_features(self, rows: Ints) -> NameFeatures | None:
        """(M,) the features of name rows; None where those of a terminology are in no index."""
        found = [(here, member.name_features(own)) for here, member, own in self._homes(rows, self._names)]
        if any(features is None for _, features in found):
            return None
        out = NameFeatures.empty(len(rows), 0)
        for here, features in found:
            if features is not None:
                out.put(here, features)
        return out

    def name_vectors(self, rows: Ints, encoder: Encoder) -> Fixed | None:
        """(M, D) vectors of name rows by this encoder; None where no index of a terminology has them."""
        out = np.empty((len(rows), encoder.dimensions), np.int16)
        for here, member, own in self._homes(rows, self._names):
            vectors = member.name_vectors(own, encoder)
            if vectors is None:
                return None
            out[here] = vectors
        return out

    def _numbered(self, rows: Any, starts: Ints) -> Iterator[tuple[int, tuple[Any, Member, Ints]]]:
        """Number of a member, then positions in `rows` of its rows, the member, and the rows counted from its first."""
        rows = np.asarray(rows, np.int64)
        if len(self.members) == 1:
            yield 0, (slice(None), self.members[0], rows)
            return
        numbers = np.searchsorted(starts, rows, side="right") - 1
        for number in np.unique(numbers).tolist():
            here = np.flatnonzero(numbers == number)
            yield number, (here, self.members[number], rows[here] - int(starts[number]))

    def _homes(self, rows: Any, starts: Ints) -> list[tuple[Any, Member, Ints]]:
        return [home for _, home in self._numbered(rows, starts)]

    def _texts(
        self, rows: Any, starts: Ints, texts_of: Callable[[Terminology, Ints], list[str]]
    ) -> list[str]:
        if len(self.members) == 1:
            return texts_of(self.members[0].terminology, np.asarray(rows, np.int64))
        texts = np.empty(len(rows), object)
        for here, member, own in self._homes(rows, starts):
            texts[here] = texts_of(member.terminology, own)
        return list(texts)

    def _repeated(self, concepts: Rows, scores: Floats) -> Mask:
        """(N, M) true for a candidate whose id another one of its row has with a higher score, or further left."""
        same = concepts.copy()
        later = concepts >= self._concepts[1]
        rows, places = np.unique(concepts[later], return_inverse=True)
        same[later] = np.array([self._first_row(id) for id in self.ids(rows)], np.int32)[places]
        # By id, then score: whatever follows its equal is a repetition.
        order = np.lexsort((-scores, same), axis=1)
        ranked = np.take_along_axis(same, order, 1)
        repeated = np.zeros(concepts.shape, dtype=bool)
        equal = (ranked[:, 1:] == ranked[:, :-1]) & (ranked[:, 1:] >= 0)
        np.put_along_axis(repeated, order[:, 1:], equal, 1)
        return repeated

    def _first_row(self, id: str) -> int:
        """The row of an id in the first terminology that has it."""
        return next(
            local + int(self._concepts[number])
            for number, member in enumerate(self.members)
            if (local := member.terminology.row(id)) >= 0
        )

    def _shift(self, hits: Hits, number: int) -> Hits:
        concepts = np.where(hits.concepts < 0, -1, hits.concepts + self._concepts[number])
        names = np.where(hits.names < 0, -1, hits.names + self._names[number])
        return Hits(concepts.astype(np.int32), names.astype(np.int32), hits.scores, hits.origins)


def _fused(kinds: Sequence[str], rankings: Sequence[Hits], *, k: int) -> list[Hits]:
    """The rankings, those by cosine as one in the place of the first of them."""
    alike = [place for place, kind in enumerate(kinds) if kind in _COSINES]
    if len(alike) < 2:
        return list(rankings)
    fused = fuse_scores([rankings[place] for place in alike], weights=[1 / len(alike)] * len(alike), k=k)
    return [
        fused if place == alike[0] else hits for place, hits in enumerate(rankings) if place not in alike[1:]
    ]


def _type(member: Member, name_row: int) -> str | None:
    """The first type of the concept of a name; None where it may not be linked to."""
    row = int(member.terminology.name_concepts[name_row])
    if member.allowed is not None and not member.allowed[row]:
        return None
    return next(iter(member.terminology.types(row)), "")
