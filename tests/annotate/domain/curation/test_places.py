from __future__ import annotations

import pytest

from linnet.annotate.domain.curation.places import Mark, align


def _mark(start: int, end: int, *concepts: str, type: str = "Disease", nil: bool = False) -> Mark:
    return Mark(start, end, type, concepts, nil, len(concepts) > 1)


def test_what_overlaps_directly_or_through_others_is_one_place() -> None:
    first = [_mark(0, 4), _mark(10, 20), _mark(30, 32)]
    second = [_mark(4, 6), _mark(18, 25), _mark(24, 28)]
    places = align({"ada": first, "bob": second})
    assert [(place.start, place.end) for place in places] == [(0, 4), (4, 6), (10, 28), (30, 32)]
    assert places[2].versions == {"ada": (first[1],), "bob": (second[1], second[2])}
    assert align({"ada": [], "bob": []}) == []


def test_a_short_annotation_within_a_long_one_does_not_end_the_place() -> None:
    places = align({"ada": [_mark(0, 30), _mark(2, 5)], "bob": [_mark(20, 30)]})
    assert [(place.start, place.end) for place in places] == [(0, 30)]


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ([_mark(0, 4, "X:1")], [], "missing"),
        ([_mark(0, 4, "X:1")], [_mark(0, 5, "X:1")], "span"),
        ([_mark(0, 4, "X:1")], [_mark(0, 4, "X:1"), _mark(1, 3, "X:2")], "span"),
        ([_mark(0, 4, "X:1")], [_mark(0, 4, "X:1", type="Chemical")], "type"),
        ([_mark(0, 4, "X:1")], [_mark(0, 4, "X:2")], "concept"),
        ([_mark(0, 4, "X:1")], [_mark(0, 4, nil=True)], "concept"),
        ([_mark(0, 4)], [_mark(0, 4, nil=True)], "concept"),
        ([_mark(0, 4, "X:1")], [_mark(0, 4, "X:1")._replace(attributes=(("negated", ""),))], "attribute"),
        ([_mark(0, 4, "X:1", "X:2")], [_mark(0, 4, "X:2", "X:1")], "agreed"),
    ],
)
def test_the_kind_of_a_place_is_its_first_difference(
    first: list[Mark], second: list[Mark], kind: str
) -> None:
    for versions in ({"ada": first, "bob": second}, {"ada": second, "bob": first}):
        [place] = align(versions)
        assert place.kind == kind


def test_a_merged_version_has_every_annotation_once_and_joins_concepts() -> None:
    first = [_mark(0, 20, "X:1"), _mark(8, 20)]
    second = [_mark(0, 20, "X:2", "X:1"), _mark(8, 20, "X:3")]
    [place] = align({"ada": first, "bob": second})
    merged = place.merged()
    assert [(mark.start, mark.end, mark.concepts, mark.composite) for mark in merged] == [
        (0, 20, ("X:1", "X:2"), False),
        (8, 20, ("X:3",), False),
    ]


def test_merging_keeps_everybodys_attributes_and_the_first_of_two_values() -> None:
    first = _mark(0, 4, "X:1")._replace(attributes=(("severity", "mild"),), id=1)
    second = _mark(0, 4, "X:2")._replace(attributes=(("negated", ""), ("severity", "severe")), id=2)
    [merged] = align({"ada": [first], "bob": [second]})[0].merged()
    assert merged.attributes == (("negated", ""), ("severity", "mild"))
    assert merged.concepts == ("X:1", "X:2")
