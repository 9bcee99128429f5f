"""What evaluation compares: gold annotations and a system's answers, as plain values.

Metrics take a sequence of `Gold` and a sequence of `Predicted` of the same length, the i-th answer belonging to the
i-th mention. End-to-end metrics compare annotations of running text with each other; both sides are `Gold` there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from linnet.types import Document, Link, Mention

__all__ = ["Gold", "Predicted", "gold_mentions", "golds_of", "homonyms", "predicted_of"]


@dataclass(frozen=True, slots=True)
class Gold:
    """An annotation: where it is and what it means.

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
        """The text as subsets and audits compare it: lower-cased, spaces run together."""
        return " ".join(self.text.lower().split())


@dataclass(frozen=True, slots=True)
class Predicted:
    """A system's answer for one mention.

    concepts     what it emits; empty for NIL
    ranked       best first, the concepts of each proposed *name*: several where the name is a homonym
    names        the proposed names, aligned with `ranked`; empty where the system does not say
    probability  that `concepts` is right; None where the system does not say
    parts        one answer per part of what the system takes for a composite mention
    missing      the system gave no answer for this mention, which is counted as NIL
    """

    concepts: frozenset[str] = frozenset()
    ranked: tuple[tuple[str, ...], ...] = ()
    names: tuple[str, ...] = ()
    probability: float | None = None
    parts: tuple[Predicted, ...] = ()
    missing: bool = False

    @property
    def top(self) -> frozenset[str]:
        """All concepts of the best name where the answer is one of them, else the answer itself; empty for NIL."""
        if self.ranked and self.concepts & set(self.ranked[0]):
            return frozenset(self.ranked[0])
        return self.concepts

    @property
    def answers(self) -> tuple[frozenset[str], ...]:
        """`top` of each part; a composite without parts has one answer per concept; empty for NIL."""
        if not self.concepts:
            return ()
        if self.parts:
            return tuple(part.top for part in self.parts)
        if len(self.concepts) > 1 and not (self.ranked and self.concepts <= set(self.ranked[0])):
            return tuple(frozenset([concept]) for concept in sorted(self.concepts))
        return (self.top,)

    def order(self) -> tuple[str, ...]:
        """Every proposed concept once, best first; what is emitted without being ranked comes first, by id."""
        listed = dict.fromkeys(concept for group in self.ranked for concept in group)
        return (*sorted(self.concepts.difference(listed)), *listed)

    def rank(self, concept: str) -> int:
        """Place of a concept from 1, 0 when it is not proposed; of a composite, the best over its parts."""
        if self.parts:
            return min((found for part in self.parts if (found := part.rank(concept))), default=0)
        order = self.order()
        return order.index(concept) + 1 if concept in order else 0


def gold_mentions(documents: Iterable[Document], *, types: Collection[str] = ()) -> Iterator[Mention]:
    """The mentions of the documents in order, only those of `types` where any are named (case ignored)."""
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

    Candidates with the same name (case ignored) are one homonymous name, in the place of the best of them, whatever a
    reranker made of each; without a name every candidate stands alone.
    """
    groups: dict[tuple[str, int], list[str]] = {}
    names: list[str] = []
    for place, (concept, name) in enumerate(candidates):
        key = " ".join(name.lower().split())
        group = groups.setdefault((key, -1 if key else place), [])
        if not group:
            names.append(name)
        group.append(concept)
    return tuple(map(tuple, groups.values())), tuple(names)
