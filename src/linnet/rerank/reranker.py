"""What a reranker is: the candidates of mentions in, the same candidates in another order out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

from linnet.arrays import Fixed, Ints
from linnet.encode import Encoder
from linnet.rerank.name_features import NameFeatures
from linnet.retrieve.hits import Hits
from linnet.terminology import Terminology
from linnet.types import Mention

__all__ = ["Concepts", "RemembersComposites", "RemembersMentions", "Reranker"]


class Concepts(Protocol):
    """What the rows of `Hits` mean; `linnet.link.terminology_group.TerminologyGroup` is one. Rows are (M,) arrays."""

    def concepts(self, rows: Ints) -> Sequence[tuple[Any, Terminology, Ints]]:
        """Positions among concept rows, the terminology that these belong to, and their rows there."""
        ...

    def ids(self, rows: Ints) -> list[str]:
        """(M,) ids of concept rows."""
        ...

    def first_names(self, rows: Ints) -> Ints:
        """(M,) name rows of the preferred names of concept rows."""
        ...

    def sizes(self, rows: Ints) -> Ints:
        """(M, 3) how many names, children and parents concept rows have."""
        ...

    def name_texts(self, rows: Ints) -> list[str]:
        """(M,) texts of name rows."""
        ...

    def name_features(self, rows: Ints) -> NameFeatures | None:
        """(M,) what name rows consist of; None where they have not been taken apart beforehand."""
        ...

    def name_vectors(self, rows: Ints, encoder: Encoder) -> Fixed | None:
        """(M, D) vectors of name rows by this encoder, see `linnet.retrieve.fixed_point`; None where no index has them."""
        ...


class Reranker(Protocol):
    """Reorders candidates. Not changed by use, and safe to share between threads.

    kind    which class reads its directory, a key of `linnet.rerank.rerankers`
    name    what messages and manifests call it
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
        """(N, k) the same candidates of each mention, best first.

        mentions  (N,) with their documents, which give context
        texts     (N,) what was searched for: the mentions' texts with abbreviations written out
        hits      (N, k) what was found; not changed

        Scores are the reranker's, higher is better, −inf for none; ties keep the order of `hits`. The mentions it
        reordered or scored have `Origin.RERANKED` on all their candidates; others come back as they were.
        """
        ...


@runtime_checkable
class RemembersComposites(Protocol):
    """A reranker that has learnt which texts mean several concepts."""

    def composites(self, mentions: Sequence[Mention], texts: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """Row → ids of what such a mention means; arguments as for `rerank`."""
        ...


@runtime_checkable
class RemembersMentions(Protocol):
    """A reranker that keeps counts of the mentions it was trained on."""

    def without_memory(self) -> Reranker:
        """The same reranker with all these counts at 0, under a digest of its own."""
        ...
