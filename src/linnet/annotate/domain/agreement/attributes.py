"""Agreement of two annotators on attributes, on the spans that both marked."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import chain
from typing import NamedTuple

from linnet.annotate.domain.agreement.measures import Measure, cohens_kappa, span_f1
from linnet.annotate.domain.curation.places import Mark

__all__ = ["AttributeAgreement", "compare_attributes"]

_Values = dict[str, str]
_NONE = "none"


class AttributeAgreement(NamedTuple):
    """An attribute on the spans that both marked."""

    name: str
    first: int
    second: int
    f1: float | None
    kappa: Measure


def compare_attributes(
    names: Sequence[str], documents: Sequence[tuple[Sequence[Mark], Sequence[Mark]]]
) -> list[AttributeAgreement]:
    """For each attribute that somebody used, how well two versions of documents agree; in the order of `names`, then by name.

    An annotation without the attribute has a label of its own.
    """
    shared = []
    for first, second in documents:
        own, other = _values(first), _values(second)
        shared.append([(own[span], other[span]) for span in sorted(own.keys() & other.keys())])
    used = {name for values in chain(*chain(*shared)) for name in values}
    order = [name for name in names if name in used]
    return [_compared(name, shared) for name in [*order, *sorted(used.difference(order))]]


def _compared(name: str, shared: Sequence[Sequence[tuple[_Values, _Values]]]) -> AttributeAgreement:
    labels: list[list[tuple[Hashable, Hashable]]] = [
        [(_label(own, name), _label(other, name)) for own, other in pairs] for pairs in shared
    ]
    first = sum(own != _NONE for pairs in labels for own, _ in pairs)
    second = sum(other != _NONE for pairs in labels for _, other in pairs)
    same = sum(own == other != _NONE for pairs in labels for own, other in pairs)
    f1 = span_f1([(same, first + second)])
    return AttributeAgreement(name, first, second, f1.value, cohens_kappa(labels))


def _label(values: _Values, name: str) -> Hashable:
    return (values[name],) if name in values else _NONE


def _values(marks: Sequence[Mark]) -> dict[tuple[int, int], _Values]:
    """Span → values of all annotations on it."""
    values: dict[tuple[int, int], _Values] = {}
    for mark in marks:
        values.setdefault((mark.start, mark.end), {}).update(mark.attributes)
    return values
