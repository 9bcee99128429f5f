"""Gold annotations and a system's answers as plain values.

Metrics take as many `Predicted` as `Gold`; the i-th answer belongs to the i-th mention. End-to-end metrics compare
annotations of running text, and both sides are `Gold`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from linnet.types import Document, Link, Mention

__all__ = ["Gold", "Predicted", "gold_mentions", "golds_of", "homonyms", "predicted_of"]


@dataclass(frozen=True, slots=True)
class Gold:
    """An annotation: its place and its concepts.

    concepts  empty for a mention without a concept (NIL); several for a composite
    combined  the concepts describe the mention only together (`+` in the NCBI disease corpus)
    """

    document: str
    start: int
    end: int
    text: str
    type: str = ""
    concepts: frozenset[str] = frozenset()
    combined: bool = False

    @property
    def surface(self) -> str:
        """The text in lower case with single spaces, as subsets and audits compare it."""
        return " ".join(self.text.lower().split())


@dataclass(frozen=True, slots=True)
class Predicted:
    """A system's answer for one mention.

    concepts     the emitted concepts; empty for NIL
    ranked       the concepts of each proposed *name*, best name first; a homonym has several
    names        the proposed names, aligned with `ranked`; empty if the system does not give them
    probability  that `concepts` is right; None if the system does not give it
    parts        for a composite mention, one answer per part
    missing      the system gave no answer for this mention; it counts as NIL
    """

    concepts: frozenset[str] = frozenset()
    ranked: tuple[tuple[str, ...], ...] = ()
    names: tuple[str, ...] = ()
    probability: float | None = None
    parts: tuple[Predicted, ...] = ()
    missing: bool = False

    @property
    def top(self) -> frozenset[str]:
        """All concepts of the best name if the answer is among them, else the answer itself; empty for NIL."""
        if self.ranked and self.concepts & set(self.ranked[0]):
            return frozenset(self.ranked[0])
        return self.concepts

    @property
    def answers(self) -> tuple[frozenset[str], ...]:
        """`top` of each part that is not NIL, or one answer per concept for a composite without parts; empty for NIL."""
        if not self.concepts:
            return ()
        if self.parts:
            return tuple(part.top for part in self.parts if part.concepts)
        if len(self.concepts) > 1 and not (self.ranked and self.concepts <= set(self.ranked[0])):
            return tuple(frozenset([concept]) for concept in sorted(self.concepts))
        return (self.top,)

    def order(self) -> tuple[str, ...]:
        """Every proposed concept once, best first. Emitted concepts that are not ranked come before, by id."""
        ranked = dict.fromkeys(concept for group in self.ranked for concept in group)
        return (*sorted(self.concepts.difference(ranked)), *ranked)

    def rank(self, concept: str) -> int:
        """Rank of a concept from 1, or 0 if it is not proposed; for a composite, the best over its parts."""
        if self.parts:
            return min((rank for part in self.parts if (rank := part.rank(concept))), default=0)
        order = self.order()
        return order.index(concept) + 1 if concept in order else 0


def gold_mentions(documents: Iterable[Document], *, types: Collection[str] = ()) -> Iterator[Mention]:
    """The mentions of the documents in order; with `types`, only mentions of these types (case ignored)."""
    wanted = {name.casefold() for name in types}
    for document in documents:
        for mention in document.mentions:
            if not wanted or mention.type.casefold() in wanted:
                yield mention


def golds_of(mentions: Iterable[Mention]) -> list[Gold]:
    """Annotated mentions as values, order kept."""
    return [
        Gold(
            document=mention.document.id,
            start=mention.start,
            end=mention.end,
            text=mention.text,
            type=mention.type,
            concepts=frozenset(mention.concepts),
            combined=bool(mention.extra.get("combined")),
        )
        for mention in mentions
    ]


def predicted_of(links: Sequence[Link]) -> list[Predicted]:
    """The linker's answers as values, order kept."""
    return [_predicted(link) for link in links]


def _predicted(link: Link) -> Predicted:
    ranked, names = homonyms((candidate.concept, candidate.name) for candidate in link.candidates)
    return Predicted(
        concepts=frozenset(link.concepts),
        ranked=ranked,
        names=names,
        probability=link.probability,
        parts=tuple(_predicted(part) for part in link.parts),
    )


def homonyms(
    candidates: Iterable[tuple[str, str]],
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """`ranked` and `names` of (concept, name) candidates, best first.

    Candidates with the same name (case ignored) count as one homonymous name at the rank of the best of them, however
    a reranker scored each. Candidates without a name stay separate.
    """
    groups: dict[tuple[str, int], list[str]] = {}
    names: list[str] = []
    for position, (concept, name) in enumerate(candidates):
        key = " ".join(name.lower().split())
        group = groups.setdefault((key, -1 if key else position), [])
        if not group:
            names.append(name)
        group.append(concept)
    return tuple(map(tuple, groups.values())), tuple(names)
