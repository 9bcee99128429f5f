"""One of the terminologies to link against, with all that is open of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from linnet.arrays import Array, Doubles, Fixed, Floats, Ints, Mask
from linnet.encode import Encoder
from linnet.link.recogniser_names import recogniser_names
from linnet.recognise import TerminologyNames
from linnet.rerank.name_feature_index import NameFeatureIndex
from linnet.rerank.name_kinds import expected_kinds, usual_kinds
from linnet.retrieve.dense import DenseIndex
from linnet.retrieve.encoder_stamp import Stamped
from linnet.retrieve.entities import EntityIndex
from linnet.retrieve.exact import ExactIndex
from linnet.retrieve.fuse import cascade, fuse_scores
from linnet.retrieve.hits import Hits
from linnet.retrieve.index import HasVectors, Index
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology
from linnet.terminology.overrides import Overrides
from linnet.terminology.qualifying_concepts import qualifying_concepts
from linnet.types import Mention
from linnet.words.semantic_groups import group_of_id, group_of_type

__all__ = ["Member"]

# Vectors of a few bits are not quite of length 1, so that cosines may be a little larger than 1.
_LARGEST_COSINE = 1.01
_SAMPLED = 300  # names that tell what a terminology without types is about


class Member:
    """A terminology with its open indexes, the concepts that may be linked to, and its overrides."""

    def __init__(
        self,
        terminology: Terminology,
        indexes: Sequence[Index],
        *,
        overrides: Overrides,
        entities: EntityIndex | None = None,
        second: DenseIndex | None = None,
        allowed: Mask | None = None,
        name_features: NameFeatureIndex | None = None,
        spelling: Spelling | None = None,
        learned: bool = False,
    ) -> None:
        """
        indexes        over names, most trusted first
        entities       index of concepts for mentions in context
        second         index over names that only a reranker searches, see `linnet.rerank.second_stage`
        name_features  index of name features for a reranker
        spelling       vocabulary for misspelt words; None: spelling is not corrected
        learned        whether it holds further names of another member's concepts
        """
        self.terminology = terminology
        self.indexes, self.entities, self.second = tuple(indexes), entities, second
        self._name_features, self.spelling = name_features, spelling
        self.overrides = overrides
        self.allowed, self.learned = allowed, learned

    @property
    def exact_index(self) -> ExactIndex | None:
        """The exact index among `indexes`."""
        return next((index for index in self.indexes if isinstance(index, ExactIndex)), None)

    @property
    def largest_score(self) -> float:
        """What no candidate scores more than, but for overrides."""
        cosines = all(index.cosine for index in self.indexes if not isinstance(index, ExactIndex))
        return _LARGEST_COSINE if cosines else np.inf

    @property
    def has_cosines(self) -> bool:
        """Whether an index compares names by cosine."""
        return any(index.cosine for index in self.indexes)

    def exact(
        self, texts: Sequence[str], *, k: int, overridden: Sequence[str] | None = None
    ) -> tuple[Hits | None, Floats]:
        """The exact matches to pass to `search`, and (N,) the score of the best one, overrides applied.

        overridden  as in `search`
        """
        index = self.exact_index
        hits = (
            None if index is None else index.search(texts, k=k + self.overrides.spare, allowed=self.allowed)
        )
        known = Hits.empty(len(texts), 1) if hits is None else hits
        best = self.overrides.apply(overridden or texts, known, allowed=self.allowed).scores[:, 0]
        return hits, np.maximum(best, np.float32(0))

    def search(
        self,
        texts: Sequence[str],
        *,
        k: int,
        exact: Hits | None = None,
        overridden: Sequence[str] | None = None,
    ) -> Hits:
        """The k best concepts for each text: exact matches, then those of the other indexes; overrides applied.

        Indexes that score by cosine are ranked together, by the mean of their cosines.

        exact       the exact matches of these texts for this k, if known
        overridden  (N,) the texts, "" for those whose overrides are not applied; None: all are
        """
        # Overrides may remove candidates: retrieve as many more as they can remove.
        enough = k + self.overrides.spare
        rankings = [
            exact
            if exact is not None and isinstance(index, ExactIndex)
            else index.search(texts, k=enough, allowed=self.allowed)
            for index in self.indexes
        ]
        fused = _fused([index.cosine for index in self.indexes], rankings, k=enough)
        hits = cascade(fused, k=enough) if fused else Hits.empty(len(texts), enough)
        return self.overrides.apply(overridden or texts, hits, allowed=self.allowed).top(k)

    def search_mentions(self, mentions: Sequence[Mention], *, k: int) -> Hits:
        """The k nearest concepts of each mention in its context, overrides applied; none without an index of entities."""
        if self.entities is None:
            return Hits.empty(len(mentions), k)
        hits = self.entities.search_mentions(mentions, k=k + self.overrides.spare, allowed=self.allowed)
        return self.overrides.apply([mention.text for mention in mentions], hits, allowed=self.allowed).top(k)

    def nearest(self, texts: Sequence[str], encoder: Encoder, *, k: int) -> Hits:
        """The k concepts nearest to each text by this encoder, overrides applied; none without an index of its vectors."""
        for index in self._with_vectors:
            if index.encoder.digest == encoder.digest:
                hits = index.search(texts, k=k + self.overrides.spare, allowed=self.allowed)
                return self.overrides.apply(texts, hits, allowed=self.allowed).top(k)
        return Hits.empty(len(texts), k)

    @property
    def encoders(self) -> list[Stamped]:
        """The encoders of its indexes."""
        named: list[Stamped] = [index.encoder for index in self._with_vectors]
        return named if self.entities is None else [*named, self.entities.encoder]

    @property
    def _with_vectors(self) -> list[HasVectors]:
        own = [index for index in self.indexes if isinstance(index, HasVectors)]
        return own if self.second is None else [*own, self.second]

    def name_features(self, rows: Ints) -> Array | None:
        """(M,) of `linnet.rerank.name_features.RECORD`, of name rows; None where no index has them."""
        return None if self._name_features is None else self._name_features.take(rows)

    def name_vectors(self, rows: Ints, encoder: Encoder) -> Fixed | None:
        """(M, D) vectors of name rows by this encoder; None without an index of them."""
        for index in self._with_vectors:
            if index.encoder.digest == encoder.digest:
                return index.name_vectors(rows)
        return None

    def groups(self, rows: Ints) -> Ints:
        """(M,) the semantic groups of concept rows, as the bits of `linnet.words.semantic_groups.Group`; 0 if unknown."""
        counts, codes = self.terminology.type_codes(rows)
        groups = np.zeros(len(rows), np.int64)
        np.bitwise_or.at(groups, np.repeat(np.arange(len(rows)), counts), self._type_groups[codes])
        unknown = np.flatnonzero(groups == 0)
        ids = self.terminology.ids.take(rows[unknown])
        groups[unknown] = [int(group_of_id(id)) for id in ids]
        return groups

    def expected_kinds(self, rows: Ints) -> Doubles:
        """(M, 8) how far each of `linnet.rerank.name_kinds.KINDS` is expected of concept rows, by their groups, else by the names of
        all concepts.
        """
        return expected_kinds(self.groups(rows), self._usual_kinds)

    @cached_property
    def _usual_kinds(self) -> Doubles:
        rows = np.linspace(0, len(self.terminology), min(len(self.terminology), _SAMPLED), endpoint=False)
        return usual_kinds(self.terminology.names.take(self.terminology.first_name[rows.astype(np.int64)]))

    @cached_property
    def _type_groups(self) -> Ints:
        """(types,) the group of each type of the terminology."""
        return np.array([int(group_of_type([name])) for name in self.terminology.type_names], np.int64)

    def names(self) -> TerminologyNames:
        """The names for recognisers."""
        return recogniser_names(
            self.terminology,
            (self.exact_index or ExactIndex.open(self.terminology)).lookup,
            allowed=self.allowed,
            qualifies=self._qualifies,
        )

    def _qualifies(self, name_row: int) -> bool:
        return int(self.terminology.name_concepts[name_row]) in self._qualifying

    @cached_property
    def _qualifying(self) -> frozenset[int]:
        return qualifying_concepts(self.terminology)


def _fused(cosines: Sequence[bool], rankings: Sequence[Hits], *, k: int) -> list[Hits]:
    """The rankings, with those by cosine fused into one in the place of the first."""
    alike = [place for place, is_cosine in enumerate(cosines) if is_cosine]
    if len(alike) < 2:
        return list(rankings)
    fused = fuse_scores([rankings[place] for place in alike], weights=[1 / len(alike)] * len(alike), k=k)
    return [
        fused if place == alike[0] else hits for place, hits in enumerate(rankings) if place not in alike[1:]
    ]
