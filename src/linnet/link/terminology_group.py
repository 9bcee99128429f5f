"""The terminologies to link against, searched as if they were one.

Rows of the second terminology follow those of the first, and so on; with one terminology they are those of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linnet.arrays import Array, Doubles, Fixed, Floats, Ints, Mask, Rows
from linnet.encode import Encoder, unit
from linnet.link.member import Member
from linnet.recognise import TerminologyNames
from linnet.rerank.name_features import RECORD
from linnet.rerank.name_kinds import KINDS
from linnet.retrieve.exact import SCORES
from linnet.retrieve.fixed_point import to_fixed_point
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.spelling import respelt
from linnet.terminology import Terminology
from linnet.types import Mention
from linnet.words.text import simplify

__all__ = ["ExactMatches", "TerminologyGroup"]


class ExactMatches(NamedTuple):
    """Exact matches of N texts, looked up before the other indexes are searched.

    hits   (N, more than k) of each member; None for a member without an exact index
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
        """These matches, then those of other texts."""
        pairs = zip(self.hits, others.hits, strict=True)
        hits = tuple(None if a is None or b is None else Hits.stack([a, b]) for a, b in pairs)
        return ExactMatches(hits, np.concatenate([self.best, others.best]))


class TerminologyGroup:
    """Several terminologies as one: searches all, and gives the ids, names … of the rows of hits."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = tuple(members)
        self._concepts = np.cumsum([0, *(len(member.terminology) for member in members)])
        self._names = np.cumsum([0, *(len(member.terminology.names) for member in members)])

    @property
    def terminology_members(self) -> list[Member]:
        """All members except learned names."""
        return [member for member in self.members if not member.learned]

    # ── searching ────────────────────────────────────────────────────────────────────────────────────────

    def exact(self, texts: Sequence[str], *, k: int) -> ExactMatches:
        """The exact matches of texts that will be searched with this k."""
        overridden = self._read_with_overrides(texts)
        matches = [member.exact(texts, k=k, overridden=overridden) for member in self.members]
        return ExactMatches(
            tuple(hits for hits, _ in matches),
            np.max([best for _, best in matches], axis=0) if texts else np.zeros(0, np.float32),
        )

    def taught(self, texts: Sequence[str]) -> list[bool]:
        """Whether each text is literally a learned name."""
        learned = [member for member in self.members if member.learned]
        if not texts or not learned:
            return [False] * len(texts)
        overridden = self._read_with_overrides(texts)
        best = np.max([member.exact(texts, k=1, overridden=overridden)[1] for member in learned], axis=0)
        return [bool(score >= SCORES["fold"]) for score in best]

    def exact_hits(self, texts: Sequence[str], matches: ExactMatches) -> Hits:
        """(N, 1) the best exact match of each text, overrides applied."""
        width = None if self.has_overrides else 1
        own = (
            Hits.empty(len(texts), 1) if hits is None else hits.top(width or hits.k) for hits in matches.hits
        )
        merged = self._merged(
            list(own), k=width or max((hits.k for hits in matches.hits if hits is not None), default=1)
        )
        overridden = self._read_with_overrides(texts)
        return self.override(overridden, merged).top(1) if self.has_overrides else merged

    @property
    def largest_score(self) -> float:
        """What no candidate scores more than, but for overrides; infinite where an index does not score by cosine."""
        return max(member.largest_score for member in self.members)

    def search(self, texts: Sequence[str], *, k: int, exact: ExactMatches | None = None) -> Hits:
        """The k best concepts of all terminologies; ties go to the terminology named first.

        A concept with the same id in several terminologies occurs once, with its best score.

        exact  result of `exact` for these texts and this k, so that it is not computed again
        """
        known = exact.hits if exact is not None else [None] * len(self.members)
        overridden = self._read_with_overrides(texts)
        by_member = [
            member.search(texts, k=k, exact=hits, overridden=overridden)
            for member, hits in zip(self.members, known, strict=True)
        ]
        return self._merged(by_member, k=k)

    @property
    def has_entities(self) -> bool:
        """Whether any terminology is searched by mentions in their context too."""
        return any(member.entities is not None for member in self.members)

    @property
    def is_distance_known(self) -> bool:
        """Whether a search says how far the closest name is: not where only characters and words are compared, and not where the
        reranker searches once more."""
        members = self.terminology_members
        by_vectors = any(index.encoder_of == "names" for member in members for index in member.indexes)
        return by_vectors and not any(member.second for member in members)

    @property
    def has_cosines(self) -> bool:
        """Whether any terminology has an index that compares names by cosine."""
        return any(member.has_cosines for member in self.members)

    def search_mentions(self, mentions: Sequence[Mention], *, k: int) -> Hits:
        """The k concepts of all terminologies whose entities are nearest to each mention in its context, as `search`."""
        return self._merged([member.search_mentions(mentions, k=k) for member in self.members], k=k)

    def nearest(self, texts: Sequence[str], encoder: Encoder, *, k: int) -> Hits:
        """The k concepts nearest to each text by this encoder, of the terminologies that have an index of its vectors; as `search`."""
        return self._merged([member.nearest(texts, encoder, k=k) for member in self.members], k=k)

    def _merged(self, by_member: Sequence[Hits], *, k: int) -> Hits:
        """(N, k) the best of the candidates of all members, whose rows are their own."""
        if len(by_member) == 1:
            return by_member[0]
        shifted = [self._shift(hits, number) for number, hits in enumerate(by_member)]
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
        """Whether any terminology has overrides."""
        return any(member.overrides for member in self.members)

    def override(self, texts: Sequence[str], hits: Hits) -> Hits:
        """(N, k) the hits with the overrides of all terminologies for these texts applied; "" leaves a row unchanged."""
        for number, member in enumerate(self.members):
            hits = member.overrides.apply(
                texts,
                hits,
                allowed=member.allowed,
                first_concept=int(self._concepts[number]),
                first_name=int(self._names[number]),
            )
        return hits

    def forced(self, text: str) -> tuple[str, ...]:
        """The ids of the concepts that the first terminology with an override for a text forces it to."""
        return next((ids for member in self.members if (ids := member.overrides.forces(text))), ())

    def is_forbidden(self, text: str) -> bool:
        """Whether a terminology has an override that forbids a text every concept."""
        return any(member.overrides.forbids_all(text) for member in self.members)

    def is_forbidden_everywhere(self, text: str) -> bool:
        """Whether the overrides of all terminologies forbid a text every concept."""
        return all(member.overrides.forbids_all(text) for member in self.members)

    def _read_with_overrides(self, texts: Sequence[str]) -> Sequence[str]:
        """(N,) the texts whose overrides hold while strings are read; "" for what is forbidden everywhere: a string that names it beside
        other things is read as any other, and then loses it, see `linnet.link.overriding`."""
        return (
            ["" if self.is_forbidden_everywhere(text) else text for text in texts]
            if self.has_overrides
            else texts
        )

    def respelt(self, text: str) -> str | None:
        """The text with words that no terminology has replaced by similar ones; None if nothing is replaced."""
        return respelt(text, [member.spelling for member in self.members if member.spelling is not None])

    def by_id(self, ids: Sequence[str], *, k: int, origin: Origin = Origin.RERANKED) -> Hits:
        """(N, k) the concept of each id with its preferred name and score 1; no candidate for an unknown id, or one that may
        not be linked to."""
        hits = Hits.empty(len(ids), k)
        for position, id in enumerate(ids):
            row = next(self._allowed_rows(id), -1)
            if row >= 0:
                hits.concepts[position, 0], hits.scores[position, 0] = row, 1.0
                hits.origins[position, 0] = origin
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

    def names(self) -> list[TerminologyNames]:
        """The names for recognisers, by terminology."""
        return [replace(member.names(), respelt=self.respelt) for member in self.members]

    def concepts(self, rows: Any) -> list[tuple[Any, Terminology, Ints]]:
        """Positions in `rows`, the terminology of these rows, and their rows in it."""
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

    def all_names(self, rows: Ints) -> tuple[Ints, Ints]:
        """(M,) numbers of names of concept rows, and the rows of these names, one concept's after the other's."""
        firsts = self.first_names(rows)
        counts = self.sizes(rows)[:, 0]
        starts = np.cumsum(counts) - counts
        return counts, np.repeat(firsts - starts, counts) + np.arange(int(counts.sum()))

    def sizes(self, rows: Any) -> Ints:
        """(M, 3) numbers of names, children and parents of concept rows."""
        out = np.empty((len(rows), 3), np.int64)
        for here, member, own in self._homes(rows, self._concepts):
            out[here] = member.terminology.sizes(own)
        return out

    def groups(self, rows: Any) -> Ints:
        """(M,) the semantic groups of concept rows, as numbers of `linnet.words.semantic_groups.Group`; 0 if unknown.

        A concept whose types are unknown counts as what its vocabulary holds, if that is known.
        """
        out = np.zeros(len(rows), np.int64)
        for here, member, own in self._homes(rows, self._concepts):
            out[here] = member.groups(own)
        return out

    def expected_kinds(self, rows: Any) -> Doubles:
        """(M, 8) how far each kind of `linnet.rerank.name_kinds.KINDS` is expected of concept rows, see `expected_kinds` there."""
        out = np.ones((len(rows), len(KINDS)))
        for here, member, own in self._homes(rows, self._concepts):
            out[here] = member.expected_kinds(own)
        return out

    def name_features(self, rows: Ints) -> Array | None:
        """(M,) of `linnet.rerank.name_features.RECORD`, of name rows; None if a terminology has no index of them."""
        out = np.zeros(len(rows), RECORD)
        for here, member, own in self._homes(rows, self._names):
            features = member.name_features(own)
            if features is None:
                return None
            out[here] = features
        return out

    def name_vectors(self, rows: Ints, encoder: Encoder) -> Fixed | None:
        """(M, D) vectors of name rows by this encoder, computed where a terminology has no index of them; None if none has."""
        out = np.empty((len(rows), encoder.dimensions), np.int16)
        absent: list[tuple[Any, Member, Ints]] = []
        homes = self._homes(rows, self._names)
        for here, member, own in homes:
            vectors = member.name_vectors(own, encoder)
            if vectors is None:
                absent.append((here, member, own))
            else:
                out[here] = vectors
        if len(absent) == len(homes):
            return None
        for here, member, own in absent:
            texts = [simplify(text) for text in member.terminology.names.take(own)]
            out[here] = to_fixed_point(unit(encoder.encode(texts)))
        return out

    def _numbered(self, rows: Any, starts: Ints) -> Iterator[tuple[int, tuple[Any, Member, Ints]]]:
        """Number of each member with rows, then the positions in `rows` of these, the member, and its own row numbers."""
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
        """(N, M) true for a candidate if another in its row has the same id and a higher score, or is further left."""
        same = concepts.copy()
        later = concepts >= self._concepts[1]
        rows, places = np.unique(concepts[later], return_inverse=True)
        same[later] = np.array([self._first_row(id) for id in self.ids(rows)], np.int32)[places]
        # Sorted by id, then score: candidates after the first of each id are repetitions.
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
