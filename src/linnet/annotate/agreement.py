"""How far annotators agree: span F1 and Cohen's kappa of concepts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.annotate.store.tables import Annotation, Document, Project, Sheet

__all__ = ["PairAgreement", "agreement", "cohens_kappa"]

_Span = tuple[int, int, int]


class PairAgreement(NamedTuple):
    """Two annotators; see `linnet.annotate.api.schemas.history.PairAgreement`."""

    first: str
    second: str
    documents: int
    first_mentions: int
    second_mentions: int
    spans: int
    span_f1: float | None
    same_concepts: float | None
    kappa: float | None


def agreement(session: Session, project: Project) -> list[PairAgreement]:
    """Every two annotators with a document that both accepted, by name. Only independent sheets can be compared."""
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
            one = _spans(session, [sheets[first][document] for document in both])
            other = _spans(session, [sheets[second][document] for document in both])
            pairs.append(_compared(first, second, len(both), one, other))
    return pairs


def cohens_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Agreement of two annotators on the same items, beyond what their labels' frequencies give by chance.

    1 is perfect, 0 chance; None without items, or where both use one and the same label only.
    Source: Cohen 1960: (p_o − p_e) / (1 − p_e).
    """
    count = len(first)
    if not count:
        return None
    observed = sum(one == other for one, other in zip(first, second, strict=True)) / count
    ours, theirs = Counter(first), Counter(second)
    expected = sum(ours[label] * theirs[label] for label in ours) / count**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _compared(
    first: str,
    second: str,
    documents: int,
    one: dict[_Span, frozenset[str]],
    other: dict[_Span, frozenset[str]],
) -> PairAgreement:
    both = sorted(one.keys() & other.keys())
    total = len(one) + len(other)
    labels, others = [one[span] for span in both], [other[span] for span in both]
    same = sum(label == wanted for label, wanted in zip(labels, others, strict=True))
    return PairAgreement(
        first,
        second,
        documents,
        len(one),
        len(other),
        len(both),
        2 * len(both) / total if total else None,
        same / len(both) if both else None,
        cohens_kappa(labels, others),
    )


def _spans(session: Session, sheets: Sequence[int]) -> dict[_Span, frozenset[str]]:
    """(document's place, start, end) → concepts; of several annotations on one span, all their concepts."""
    place = {sheet: number for number, sheet in enumerate(sheets)}
    found: dict[_Span, frozenset[str]] = {}
    for span, concepts in _rows(session, sheets, place):
        found[span] = found.get(span, frozenset()) | concepts
    return found


def _rows(
    session: Session, sheets: Sequence[int], place: dict[int, int]
) -> Iterator[tuple[_Span, frozenset[str]]]:
    query = select(Annotation).where(Annotation.sheet_id.in_(sheets), Annotation.layer != "pred")
    for one in session.scalars(query):
        yield (place[one.sheet_id], one.start, one.end), frozenset(one.concepts)
