"""Mentions of two recognisers joined."""

from __future__ import annotations

import pytest

from linnet.recognise.joined import FilteredRecogniser, JoinedRecogniser, confident_first, names_first
from linnet.types import Document, Mention

TEXT = "abcdefghijklmnopqrstuvwxyz"


class Finds:
    """The same places in every document."""

    def __init__(self, *places: tuple[int, int, float | None], type: str = "Disease") -> None:
        self.places, self.type = places, type

    @property
    def types(self) -> frozenset[str]:
        return frozenset([self.type])

    def recognise(self, documents: list[Document]) -> list[Document]:
        return [
            one.with_mentions(
                [
                    Mention(one, start, end, one.text[start:end], self.type, confidence=confidence)
                    for start, end, confidence in self.places
                ]
            )
            for one in documents
        ]


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ([(2, 5, 0.9)], [(0, 2, None), (5, 7, None)], [(0, 2), (2, 5), (5, 7)]),
        ([(2, 5, 0.9)], [(0, 3, None), (4, 7, None), (8, 9, None)], [(2, 5), (8, 9)]),
        ([(2, 5, 0.79), (8, 12, 0.8)], [(0, 3, None), (9, 10, None)], [(0, 3), (8, 12)]),
        ([(2, 5, None)], [(2, 5, None)], [(2, 5)]),
        ([(0, 20, 0.9), (4, 6, 0.9)], [(7, 9, None), (20, 22, None)], [(0, 20), (4, 6), (20, 22)]),
        ([], [(3, 4, None), (1, 9, None)], [(1, 9), (3, 4)]),
        ([(1, 2, 1.0)], [], [(1, 2)]),
    ],
)
def test_names_stay_where_nothing_sure_overlaps_them(
    first: list[tuple[int, int, float | None]],
    second: list[tuple[int, int, float | None]],
    found: list[tuple[int, int]],
) -> None:
    combined = JoinedRecogniser(Finds(*first), Finds(*second), confident_first(0.8))
    documents = [Document("1", TEXT), Document("2", TEXT.upper())]
    answers = combined.recognise(documents)
    assert [one.id for one in answers] == ["1", "2"]
    for answer in answers:
        assert [(one.start, one.end) for one in answer.mentions] == found
        assert all(one.text == answer.text[one.start : one.end] for one in answer.mentions)
    assert all(one.mentions == () for one in documents)


def test_it_finds_the_types_of_both() -> None:
    combined = JoinedRecogniser(Finds(), Finds(type="Chemical"), confident_first(0.5))
    assert combined.types == {"Disease", "Chemical"}


def test_names_that_are_none_are_left_out_however_they_are_written() -> None:
    sparing = FilteredRecogniser(Finds((0, 2, None), (2, 5, None)), ["ab"])
    documents = [Document("1", TEXT), Document("2", TEXT.upper())]
    assert [[one.text for one in answer.mentions] for answer in sparing.recognise(documents)] == [
        ["cde"],
        ["CDE"],
    ]
    assert sparing.types == {"Disease"}


@pytest.mark.parametrize(
    ("found", "named", "expected"),
    [
        ([], [(3, 6)], [(3, 6, "name")]),
        ([(0, 2), (8, 9)], [(3, 6)], [(0, 2, "found"), (3, 6, "name"), (8, 9, "found")]),
        ([(3, 6)], [(3, 6)], [(3, 6, "found")]),
        ([(4, 5), (5, 6)], [(3, 6)], [(3, 6, "name")]),
        ([(2, 7)], [(3, 6)], [(2, 7, "found")]),
        ([(5, 8)], [(3, 6)], [(5, 8, "found")]),
        ([(3, 4), (5, 8)], [(3, 6)], [(3, 4, "found"), (5, 8, "found")]),
        ([(0, 3), (6, 9)], [(3, 6)], [(0, 3, "found"), (3, 6, "name"), (6, 9, "found")]),
    ],
)
def test_a_name_counts_unless_a_mention_reaches_beyond_it(
    found: list[tuple[int, int]], named: list[tuple[int, int]], expected: list[tuple[int, int, str]]
) -> None:
    recogniser = JoinedRecogniser(
        Finds(*((a, b, None) for a, b in found), type="found"),
        Finds(*((a, b, None) for a, b in named), type="name"),
        names_first,
    )
    documents = [Document("1", TEXT), Document("2", "")]
    answers = recogniser.recognise(documents[:1])
    assert [(m.start, m.end, m.type) for m in answers[0].mentions] == expected
    assert recogniser.types == {"found", "name"}
