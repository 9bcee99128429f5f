"""Agreement of annotators with each other, and with the curated sheets."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from sqlalchemy.orm import Session

from linnet.annotate.domain.agreement.attributes import AttributeAgreement, compare_attributes
from linnet.annotate.domain.agreement.measures import Measure, cohens_kappa, krippendorffs_alpha, span_f1
from linnet.annotate.domain.curation.places import Mark
from linnet.annotate.domain.curation.versions import read_versions
from linnet.annotate.domain.states import State
from linnet.annotate.store.tables import Project

__all__ = ["Agreement", "PairAgreement", "agreement"]

_Span = tuple[int, int]
_Meaning = tuple[frozenset[str], bool]
_Labels = dict[_Span, tuple[frozenset[str], frozenset[_Meaning]]]
_MISSING = "missing"


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators on the documents that both accepted, or one and the accepted curated sheets (`second` is "")."""

    first: str
    second: str
    documents: int
    first_mentions: int
    second_mentions: int
    first_unchanged: int
    second_unchanged: int
    spans: int
    span_f1: float | None
    same_concepts: float | None
    kappa: float | None
    span_f1_interval: tuple[float, float] | None
    aligned_kappa: Measure
    attributes: list[AttributeAgreement] = field(default_factory=list)


class Agreement(NamedTuple):
    """All pairs of annotators that accepted a document in common."""

    pairs: list[PairAgreement]
    curated: list[PairAgreement]
    annotators: list[str]
    documents: int
    predicted: int
    alpha: Measure
    curated_documents: int


def agreement(session: Session, project: Project) -> Agreement:
    """Agreement of every two annotators on the documents that both accepted, by name; and of each with the accepted curated sheets.

    Compares independent sheets only.
    """
    documents = read_versions(session, project.id)
    names = sorted({name for versions in documents for name in versions.accepted})
    attributes = [attribute["name"] for attribute in project.attributes]
    labels = [{name: _labels(marks) for name, marks in each.accepted.items()} for each in documents]
    pairs = []
    for first, second in combinations(names, 2):
        both = [each.accepted for each in documents if first in each.accepted and second in each.accepted]
        if both:
            pairs.append(_compared(first, second, [(each[first], each[second]) for each in both], attributes))
    settled = [versions for versions in documents if versions.state == State.ACCEPTED]
    curated = [
        _compared(name, "", own, attributes)
        for name in names
        if (own := [(each.accepted[name], each.curated) for each in settled if name in each.accepted])
    ]
    several = [each for each in labels if len(each) > 1]
    began = [each for each in documents if len(each.accepted) > 1 and each.predicted]
    return Agreement(
        pairs=pairs,
        curated=curated,
        annotators=names,
        documents=len(several),
        predicted=len(began),
        alpha=krippendorffs_alpha([_items(each) for each in several]),
        curated_documents=len(settled),
    )


def _compared(
    first: str,
    second: str,
    marked: Sequence[tuple[Sequence[Mark], Sequence[Mark]]],
    attributes: Sequence[str],
) -> PairAgreement:
    """Agreement of two versions of each document."""
    documents = [(_labels(own), _labels(other)) for own, other in marked]
    shared = [
        [(own[span][1], other[span][1]) for span in own.keys() & other.keys()] for own, other in documents
    ]
    spans = sum(map(len, shared))
    same = sum(own == other for pairs in shared for own, other in pairs)
    totals = [(len(own.keys() & other.keys()), len(own) + len(other)) for own, other in documents]
    aligned = [_items({"first": own, "second": other}) for own, other in documents]
    f1 = span_f1(totals)
    return PairAgreement(
        first=first,
        second=second,
        documents=len(documents),
        first_mentions=sum(len(own) for own, _ in documents),
        second_mentions=sum(len(other) for _, other in documents),
        first_unchanged=sum(mark.unchanged for own, _ in marked for mark in own),
        second_unchanged=sum(mark.unchanged for _, other in marked for mark in other),
        spans=spans,
        span_f1=f1.value,
        same_concepts=same / spans if spans else None,
        kappa=cohens_kappa(shared).value,
        span_f1_interval=f1.interval,
        aligned_kappa=cohens_kappa([[(item[0], item[1]) for item in items] for items in aligned]),
        attributes=compare_attributes(attributes, marked),
    )


def _items(versions: Mapping[str, _Labels]) -> list[list[Hashable]]:
    """The labels of every span that anybody marked, one of each annotator; a missing span is a label."""
    spans = sorted(set().union(*versions.values()))
    return [[labels.get(span, _MISSING) for labels in versions.values()] for span in spans]


def _labels(marks: Sequence[Mark]) -> _Labels:
    """Span → types and meanings of all annotations on it."""
    labels: _Labels = {}
    for mark in marks:
        types, meanings = labels.get((mark.start, mark.end), (frozenset(), frozenset()))
        labels[mark.start, mark.end] = types | {mark.type}, meanings | {mark.meaning}
    return labels
