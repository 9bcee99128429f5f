from __future__ import annotations

from typing import Any

import pytest

from linnet.recognise.combined import CombinedRecogniser, FilteredRecogniser, TaggerBesideNames
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
    combined = CombinedRecogniser(Finds(*first), Finds(*second), min_confidence=0.8)
    documents = [Document("1", TEXT), Document("2", TEXT.upper())]
    answers = combined.recognise(documents)
    assert [one.id for one in answers] == ["1", "2"]
    for answer in answers:
        assert [(one.start, one.end) for one in answer.mentions] == found
        assert all(one.text == answer.text[one.start : one.end] for one in answer.mentions)
    assert all(one.mentions == () for one in documents)


def test_it_finds_the_types_of_both() -> None:
    combined = CombinedRecogniser(Finds(), Finds(type="Chemical"), min_confidence=0.5)
    assert combined.types == {"Disease", "Chemical"}


def test_names_that_are_none_are_left_out_however_they_are_written() -> None:
    sparing = FilteredRecogniser(Finds((0, 2, None), (2, 5, None)), ["ab"])
    documents = [Document("1", TEXT), Document("2", TEXT.upper())]
    assert [[one.text for one in answer.mentions] for answer in sparing.recognise(documents)] == [
        ["cde"],
        ["CDE"],
    ]
    assert sparing.types == {"Disease"}


class Judges(Finds):
    """A tagger that gives each name the probability for its place."""

    def __init__(self, *places: tuple[int, int, float | None], names: dict[tuple[int, int], float]) -> None:
        super().__init__(*places)
        self.names = names

    def recognise_beside(
        self, documents: list[Document], others: list[Document]
    ) -> list[tuple[Document, list[float | None]]]:
        judged = [[self.names.get((m.start, m.end)) for m in other.mentions] for other in others]
        return list(zip(self.recognise(documents), judged, strict=True))


@pytest.mark.parametrize(
    ("tagged", "names", "found"),
    [
        ([(2, 5, 0.4)], {}, []),  # not sure enough without a name
        ([(2, 5, 0.4)], {(2, 5): 0.4}, [(2, 5, 0.4)]),
        ([(2, 5, 0.6)], {(0, 5): 0.3, (7, 9): 0.3, (11, 12): 0.1}, [(2, 5, 0.6), (7, 9, 0.3)]),
        ([(2, 5, 0.4)], {(0, 5): 0.3}, [(0, 5, 0.3)]),
    ],
)
def test_a_tagger_judges_the_names(
    tagged: list[tuple[int, int, float | None]],
    names: dict[tuple[int, int], float],
    found: list[tuple[int, int, float]],
) -> None:
    tagger: Any = Judges(*tagged, names=names)
    recogniser = TaggerBesideNames(tagger, Finds(*((a, b, None) for a, b in names)), alone=0.5, named=0.2)
    [document] = recogniser.recognise([Document("1", TEXT)])
    assert [(m.start, m.end, m.confidence) for m in document.mentions] == found


def test_a_text_that_is_a_name_and_nothing_else_is_a_mention() -> None:
    tagger: Any = Judges((0, 1, 0.9), names={(0, 4): 0.0})
    recogniser = TaggerBesideNames(tagger, Finds((0, 4, None)), alone=0.5, named=0.2)
    alone, within = recogniser.recognise([Document("1", "gout.\n"), Document("2", "gout of old")])
    assert [(m.start, m.end) for m in alone.mentions] == [(0, 4)]
    assert [(m.start, m.end) for m in within.mentions] == [(0, 1)]


def test_names_of_types_that_the_tagger_lacks_stay_where_nothing_else_is() -> None:
    tagger: Any = Judges((2, 5, 0.9), names={})
    names = Finds((1, 3, None), (8, 9, None), type="Anatomy")
    recogniser = TaggerBesideNames(tagger, names, alone=0.5, named=0.2)
    [document] = recogniser.recognise([Document("1", TEXT)])
    assert [(m.start, m.end, m.type) for m in document.mentions] == [(2, 5, "Disease"), (8, 9, "Anatomy")]
    assert recogniser.types == {"Disease", "Anatomy"}


def test_chemicals_do_not_count_where_the_text_means_a_variant() -> None:
    text = "Zinc and valine to leucine at codon 66."
    tagger: Any = Judges((0, 4, 0.9), (9, 15, 0.9), names={(19, 26): 0.9})
    tagger.type = "Chemical"
    names = Finds((19, 26, None), type="Chemical")
    recogniser = TaggerBesideNames(tagger, names, alone=0.5, named=0.2)
    [document] = recogniser.recognise([Document("1", text)])
    assert [m.text for m in document.mentions] == ["Zinc"]
    tagger.type = names.type = "Disease"
    [document] = recogniser.recognise([Document("1", text)])
    assert [m.text for m in document.mentions] == ["Zinc", "valine", "leucine"]


@pytest.mark.parametrize(
    ("text", "tagged", "name", "found"),
    [
        (
            "Hepatitis A, B and C here",
            (0, 11, 0.3),
            (0, 20),
            ["Hepatitis A, B and C"],
        ),  # the tagger sees the first
        ("Hepatitis A, B and C here", (21, 25, 0.9), (0, 20), ["Hepatitis A, B and C", "here"]),
        ("Hepatitis A here", (0, 9, 0.9), (0, 11), ["Hepatitis A"]),
        ("Hepatitis A here", (12, 16, 0.9), (0, 11), ["here"]),  # sees nothing of it
        ("old Hepatitis A, B and C", (0, 24, 0.9), (4, 24), ["old Hepatitis A, B and C"]),
    ],
)
def test_lists_of_names_and_names_that_end_with_a_are_whole(
    text: str, tagged: tuple[int, int, float], name: tuple[int, int], found: list[str]
) -> None:
    tagger: Any = Judges(tagged, names={name: 0.0})
    recogniser = TaggerBesideNames(tagger, Finds((*name, None)), alone=0.5, named=0.2)
    [document] = recogniser.recognise([Document("1", text)])
    assert [mention.text for mention in document.mentions] == found
