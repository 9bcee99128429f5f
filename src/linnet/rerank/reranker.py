"""The interface of rerankers, which reorder the candidates of mentions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from linnet.arrays import Array, Doubles, Fixed, Floats, Ints
from linnet.encode import Encoder
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import Terminology
from linnet.types import Mention

__all__ = ["Concepts", "Remembers", "Reranker", "recalled", "reorder"]


class Concepts(Protocol):
    """Looks up the rows of `Hits`, (M,) arrays; implemented by `linnet.link.terminology_group.TerminologyGroup`."""

    def concepts(self, rows: Ints) -> Sequence[tuple[Any, Terminology, Ints]]:
        """For each terminology: positions in `rows` of its concepts, the terminology, and their rows there."""
        ...

    def ids(self, rows: Ints) -> list[str]:
        """(M,) ids of concept rows."""
        ...

    def first_names(self, rows: Ints) -> Ints:
        """(M,) name rows of the preferred names of concept rows."""
        ...

    def all_names(self, rows: Ints) -> tuple[Ints, Ints]:
        """(M,) numbers of names of concept rows, and the rows of these names, one concept's after the other's."""
        ...

    def nearest(self, texts: Sequence[str], encoder: Encoder, *, k: int) -> Hits:
        """The k concepts nearest to each text by this encoder, of the terminologies that have an index of its vectors."""
        ...

    def sizes(self, rows: Ints) -> Ints:
        """(M, 3) numbers of names, children and parents of concept rows."""
        ...

    def groups(self, rows: Ints) -> Ints:
        """(M,) the semantic groups of concept rows, see `linnet.words.semantic_groups.Group`; 0 if unknown."""
        ...

    def name_texts(self, rows: Ints) -> list[str]:
        """(M,) texts of name rows."""
        ...

    def name_features(self, rows: Ints) -> Array | None:
        """(M,) of `linnet.rerank.name_features.RECORD`, of name rows; None if they have not been computed beforehand."""
        ...

    def name_vectors(self, rows: Ints, encoder: Encoder) -> Fixed | None:
        """(M, D) vectors of name rows by this encoder, see `linnet.retrieve.fixed_point`; None if no index has them."""
        ...


class Reranker(Protocol):
    """Reorders candidates. Use does not change it. Safe to share between threads.

    kind    the key of its class in `linnet.rerank.rerankers`
    name    its name in messages and manifests
    digest  32 hex digits that change whenever its scores do
    """

    kind: str

    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...

    @classmethod
    def open(cls, path: Path, *, threads: int | None = None) -> Self:
        """Open a model directory. Raises StoreError, DamagedError or MismatchError as `linnet.encode.model.open_model`."""
        ...

    def rerank(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Hits:
        """(N, k) the candidates of each mention, best first; one that finds candidates of its own may put them in the place of others.

        mentions  (N,) with their documents, which give context
        texts     (N,) the search queries: the mentions' texts with abbreviations expanded
        hits      (N, k) the candidates; not changed

        Scores are the reranker's, higher is better, −inf for none; ties keep the order of `hits`. All candidates of a
        mention that it scored get `Origin.RERANKED`; other mentions are returned unchanged.
        """
        ...


@runtime_checkable
class Remembers(Protocol):
    """A reranker that keeps counts of the mentions it was trained on."""

    def composites(self, mentions: Sequence[Mention], texts: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """Row → ids of the concepts, for each mention whose text meant several concepts; arguments as for `rerank`."""
        ...

    def without_memory(self) -> Reranker:
        """The same reranker without these counts, with a digest of its own."""
        ...

    def recalled(self, texts: Sequence[str], ids: Sequence[Sequence[str]]) -> Doubles:
        """(N, k) the share of its training mentions with this text, by words or by stems, that meant each concept; NaN without any."""
        ...


def recalled(reranker: Reranker | None, texts: Sequence[str], ids: Sequence[Sequence[str]]) -> Doubles:
    """See `Remembers.recalled`; NaN if it remembers none."""
    if isinstance(reranker, Remembers):
        return reranker.recalled(texts, ids)
    return np.full((len(texts), 1), np.nan)


def reorder(hits: Hits, scores: Floats) -> Hits:
    """The candidates by these scores (N, k), best first, marked as reranked. Ties keep their order."""
    present = hits.concepts >= 0
    # Five decimals, so that a batch's arithmetic cannot decide a tie.
    scores = np.where(present, np.round(scores, 5), -np.inf).astype(np.float32)
    order = np.argsort(-scores, axis=1, kind="stable")
    columns = (hits.concepts, hits.names, scores, np.where(present, hits.origins | Origin.RERANKED, 0))
    concepts, names, scores, origins = (np.take_along_axis(column, order, 1) for column in columns)
    return Hits(concepts, names, scores, origins.astype(np.uint16))
