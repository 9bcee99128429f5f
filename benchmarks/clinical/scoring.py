"""Annotations of the notes against the gold: which match, and the counts that the figures are made of.

An annotation is a mention that a system found, with the set of concepts it links it to. It matches a gold mention (weakly) if their
spans overlap and its set is one of the mention's answers, one to one and as many as possible: the weak annotation match of Cornolti et
al. 2013, with sets of concepts. Beside that,

- annotations without a concept count for spans only;
- several annotations inside a composite that together have exactly its concepts are one;
- an annotation with several concepts that overlaps several gold mentions is one annotation per concept;
- an annotation that overlaps optional spans and no gold mention is left out;
- a gold mention that may be NIL is left out if nothing with a concept overlaps it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchmarks.clinical.notes import GoldMention, Note, Span, Trap

__all__ = ["Annotation", "Judged", "Row", "judge"]


@dataclass(frozen=True, slots=True)
class Annotation(Span):
    """What a system says of a span: its type, the concepts (none for NIL), and how probable it says they are."""

    type: str
    concepts: frozenset[str]
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A gold mention that counts, and the annotations that match it weakly and strongly (also with equal spans), if any."""

    gold: GoldMention
    weak: Annotation | None
    strong: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """One note judged.

    rows         gold mentions with a concept
    annotations  with a concept, in the order of the text, and whether each matches weakly
    spans        equal spans, spans found, spans in the gold, whatever the concepts
    linked       traps that an annotation overlaps which overlaps no gold mention
    """

    name: str
    rows: list[Row]
    annotations: list[tuple[Annotation, bool]]
    spans: tuple[int, int, int]
    linked: list[Trap]


def judge(note: Note, found: Sequence[Annotation]) -> Judged:
    """The annotations of a note against its gold."""
    found = [a for a in found if not _only_optional(note, a)]
    linked = _parts(note.mentions, _joined(note.mentions, [a for a in found if a.concepts]))
    partner = _pairs(note.mentions, linked, _weak)
    exact = _pairs(note.mentions, linked, lambda gold, a: _weak(gold, a) and _same_span(gold, a))
    rows = [
        Row(gold, linked[partner[i]] if i in partner else None, i in exact)
        for i, gold in enumerate(note.mentions)
        if gold.concepts and (i in partner or frozenset() not in gold.answers or _touched(gold, linked))
    ]
    matched = set(partner.values())
    spans = {(a.start, a.end) for a in found}
    equal = sum((gold.start, gold.end) in spans for gold in note.mentions)
    outside = [a for a in linked if not any(gold.overlaps(a.start, a.end) for gold in note.mentions)]
    return Judged(
        note.name,
        rows,
        [(annotation, i in matched) for i, annotation in enumerate(linked)],
        (equal, len(spans), len(note.mentions)),
        [trap for trap in note.traps if _touched(trap, outside)],
    )


def _weak(gold: GoldMention, annotation: Annotation) -> bool:
    return annotation.concepts in gold.answers and gold.overlaps(annotation.start, annotation.end)


def _same_span(gold: Span, annotation: Span) -> bool:
    return (gold.start, gold.end) == (annotation.start, annotation.end)


def _touched(span: Span, annotations: Sequence[Annotation]) -> bool:
    return any(span.overlaps(a.start, a.end) for a in annotations)


def _only_optional(note: Note, annotation: Annotation) -> bool:
    def over(spans: Sequence[Span]) -> bool:
        return any(span.overlaps(annotation.start, annotation.end) for span in spans)

    return over(note.optional) and not over(note.mentions)


def _joined(golds: Sequence[GoldMention], annotations: Sequence[Annotation]) -> list[Annotation]:
    """With one annotation instead of those that together are right about a composite."""
    kept = list(annotations)
    for gold in golds:
        inside = [a for a in kept if gold.start <= a.start and a.end <= gold.end]
        concepts = frozenset[str]().union(*(a.concepts for a in inside))
        if min(len(inside), len(concepts)) < 2 or concepts not in gold.answers:
            continue
        first = inside[0]
        probability = min((a.probability for a in inside if a.probability is not None), default=None)
        kept[kept.index(first)] = replace(
            first, start=gold.start, end=gold.end, text=gold.text, concepts=concepts, probability=probability
        )
        kept = [a for a in kept if a not in inside[1:]]
    return kept


def _parts(golds: Sequence[GoldMention], annotations: Sequence[Annotation]) -> list[Annotation]:
    """With one annotation per concept instead of those that cover several gold mentions."""
    parts: list[Annotation] = []
    for a in annotations:
        covered = sum(gold.overlaps(a.start, a.end) for gold in golds)
        if covered < 2:
            parts.append(a)
        else:
            parts += [replace(a, concepts=frozenset({concept})) for concept in sorted(a.concepts)]
    return parts


def _pairs(
    golds: Sequence[GoldMention],
    annotations: Sequence[Annotation],
    fits: Callable[[GoldMention, Annotation], bool],
) -> dict[int, int]:
    """Gold index -> annotation index of a largest one-to-one matching (augmenting paths, Kuhn 1955)."""
    edges = [[j for j, annotation in enumerate(annotations) if fits(gold, annotation)] for gold in golds]
    owner: dict[int, int] = {}

    def place(gold: int, tried: set[int]) -> bool:
        for j in edges[gold]:
            if j in tried:
                continue
            tried.add(j)
            if j not in owner or place(owner[j], tried):
                owner[j] = gold
                return True
        return False

    for i in range(len(golds)):
        place(i, set())
    return {gold: j for j, gold in owner.items()}
