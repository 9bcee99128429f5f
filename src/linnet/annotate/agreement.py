"""Agreement of annotators: span F1 and Cohen's kappa of concepts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from itertools import combinations
from operator import eq

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.api.schemas.history import PairAgreement
from linnet.annotate.store.tables import Annotation, Document, Project, Sheet

__all__ = ["agreement", "cohens_kappa"]

_Span = tuple[int, int, int]


def agreement(session: Session, project: Project) -> list[PairAgreement]:
    """Agreement of every two annotators with a document that both accepted, by name. Compares independent sheets only."""
    query = (
        select(Sheet.id, Sheet.owner, Sheet.document_id)
        .join(Document, Document.id == Sheet.document_id)
        .where(Document.project_id == project.id, Sheet.owner != "", Sheet.state == "accepted")
    )
    sheets: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for id, owner, document in session.execute(query):
        sheets[owner][document] = id
    pairs = []
    for first, second in combinations(sorted(sheets), 2):
        both = sorted(sheets[first].keys() & sheets[second].keys())
        if both:
            first_spans = _spans(session, [sheets[first][document] for document in both])
            second_spans = _spans(session, [sheets[second][document] for document in both])
            pairs.append(_compared(first, second, len(both), first_spans, second_spans))
    return pairs


def cohens_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Agreement of two annotators on the same items, beyond what their labels' frequencies give by chance.

    1 is perfect, 0 chance; None without items, or where both use one and the same label only.
    Source: Cohen 1960: (p_o − p_e) / (1 − p_e).
    """
    count = len(first)
    if not count:
        return None
    observed = sum(map(eq, first, second)) / count
    first_counts, second_counts = Counter(first), Counter(second)
    expected = sum(first_counts[label] * second_counts[label] for label in first_counts) / count**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _compared(
    first: str,
    second: str,
    documents: int,
    first_spans: dict[_Span, frozenset[str]],
    second_spans: dict[_Span, frozenset[str]],
) -> PairAgreement:
    both = first_spans.keys() & second_spans.keys()
    total = len(first_spans) + len(second_spans)
    first_labels, second_labels = [first_spans[span] for span in both], [second_spans[span] for span in both]
    same = sum(map(eq, first_labels, second_labels))
    return PairAgreement(
        first=first,
        second=second,
        documents=documents,
        first_mentions=len(first_spans),
        second_mentions=len(second_spans),
        spans=len(both),
        span_f1=2 * len(both) / total if total else None,
        same_concepts=same / len(both) if both else None,
        kappa=cohens_kappa(first_labels, second_labels),
    )


def _spans(session: Session, sheets: Sequence[int]) -> dict[_Span, frozenset[str]]:
    """(index of the document, start, end) → concepts of all annotations on that span."""
    place = {sheet: number for number, sheet in enumerate(sheets)}
    query = select(Annotation).where(Annotation.sheet_id.in_(sheets), Annotation.layer != "pred")
    concepts: defaultdict[_Span, frozenset[str]] = defaultdict(frozenset)
    for row in session.scalars(query):
        concepts[place[row.sheet_id], row.start, row.end] |= frozenset(row.concepts)
    return concepts
