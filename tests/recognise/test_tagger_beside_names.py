from __future__ import annotations

from typing import Any

import pytest
from tests.recognise.test_joined import TEXT, Finds

from linnet.recognise.name_evidence import Judgement
from linnet.recognise.tagger_beside_names import TaggerBesideNames
from linnet.types import Document


class Judges(Finds):
    """A tagger that gives each name the probability for its place."""

    def __init__(
        self,
        *places: tuple[int, int, float | None],
        names: dict[tuple[int, int], float],
        type: str = "Disease",
    ) -> None:
        super().__init__(*places, type=type)
        self.names = names

    def recognise_beside(
        self, documents: list[Document], others: list[Document]
    ) -> list[tuple[Document, list[Judgement | None]]]:
        judged = [
            [
                None if (p := self.names.get((m.start, m.end))) is None else Judgement(p, p)
                for m in other.mentions
            ]
            for other in others
        ]
        return list(zip(self.recognise(documents), judged, strict=True))


@pytest.mark.parametrize(
    ("tagged", "names", "found"),
    [
        ([(2, 5, 0.4)], {}, []),  # not sure enough without a name
        ([(2, 5, 0.4)], {(2, 5): 0.4}, [(2, 5, 0.4)]),
        ([(2, 5, 0.6)], {(0, 5): 0.1, (7, 9): 0.3, (11, 12): 0.1}, [(2, 5, 0.6), (7, 9, 0.3)]),
        ([(2, 5, 0.6)], {(0, 5): 0.3}, [(0, 5, 0.6)]),  # a name that is hardly less probable than its part
        ([(2, 5, 0.4)], {(0, 5): 0.3}, [(0, 5, 0.4)]),
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


@pytest.mark.parametrize(
    ("text", "name", "part", "type", "found"),
    [
        (
            "He has hypo- and hyperthyroidism.",
            "hypo- and hyperthyroidism",
            "hyperthyroidism",
            "Disease",
            "name",
        ),
        (
            "PMH: HTN, low potassium. Pt c/o chest pain, no SOB.",
            "low potassium",
            "potassium",
            "Chemical",
            "name",
        ),
        (
            "We measured low potassium in twenty of the cases.",
            "low potassium",
            "potassium",
            "Chemical",
            "part",
        ),
    ],
)
def test_whole_names_count_over_what_the_tagger_sees_of_them(
    text: str, name: str, part: str, type: str, found: str
) -> None:
    places = {each: (text.index(each), text.index(each) + len(each)) for each in (name, part)}
    tagger: Any = Judges((*places[part], 0.9), names={places[name]: 0.01}, type=type)
    recogniser = TaggerBesideNames(tagger, Finds((*places[name], None)), alone=0.5, named=0.5)
    [document] = recogniser.recognise([Document("1", text)])
    assert [m.text for m in document.mentions] == [name if found == "name" else part]


def test_another_judge_decides_over_names_that_the_tagger_does_not_see() -> None:
    tagger: Any = Judges((2, 5, 0.6), names={(0, 5): 0.1, (7, 9): 0.0, (11, 12): 0.9})
    recogniser = TaggerBesideNames(
        tagger,
        Finds((0, 5, None), (7, 9, None), (11, 12, None)),
        alone=0.5,
        named=0.5,
        judge=lambda names, judgements: [1 - judgement.within for judgement in judgements],
    )
    [document] = recogniser.recognise([Document("1", TEXT)])
    assert [(m.start, m.end, m.confidence) for m in document.mentions] == [(2, 5, 0.6), (7, 9, 1.0)]


@pytest.mark.parametrize(
    ("text", "exact", "type", "confidence"),
    [
        ("PMH: candida, HTN, DM2. Pt c/o chest pain x 2 days, no SOB.", 0.2, "Disease", 0.2),
        ("PMH: candida, HTN, DM2. Pt c/o chest pain x 2 days, no SOB.", 0.05, "Organism", None),
        ("The candida strains of 20 patients were sequenced and compared.", None, "Organism", None),
    ],
)
def test_names_of_some_kinds_are_diseases_in_notes_where_the_tagger_thinks_so(
    text: str, exact: float | None, type: str, confidence: float | None
) -> None:
    start = text.index("candida")
    place = (start, start + len("candida"))
    tagger: Any = Judges(names={} if exact is None else {place: exact})
    names = Finds((*place, None), type="Organism")
    recogniser = TaggerBesideNames(
        tagger, names, alone=0.5, named=0.5, in_notes={"Organism": "Disease"}, rarely={"Organism": 0.1}
    )
    [document] = recogniser.recognise([Document("1", text)])
    assert [(m.type, m.confidence) for m in document.mentions] == [(type, confidence)]


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
