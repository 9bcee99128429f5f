from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from tests.recognise.test_joined import TEXT, Finds

from linnet.recognise.name_evidence import Judgement
from linnet.recognise.tagger_beside_names import TaggerBesideNames
from linnet.types import Document, Mention


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


def exactly(names: Sequence[Mention], judgements: Sequence[Judgement]) -> list[float]:
    """The tagger's own probability of each name."""
    return [judgement.exact for judgement in judgements]


beside_names = partial(TaggerBesideNames, judge=exactly)


@pytest.mark.parametrize(
    ("tagged", "names", "found"),
    [
        ([(2, 5, 0.4)], {}, []),  # not sure enough without a name
        ([(2, 5, 0.4)], {(2, 5): 0.4}, [(2, 5, 0.4)]),
        ([(2, 5, 0.6)], {(0, 5): 0.1, (7, 9): 0.3, (11, 12): 0.1}, [(2, 5, 0.6), (7, 9, 0.3)]),
        ([(2, 5, 0.6)], {(0, 5): 0.3}, [(0, 5, 0.3)]),  # in place of what it holds
        ([(2, 5, 0.4)], {(0, 5): 0.3}, [(0, 5, 0.3)]),
        ([(2, 5, 0.6)], {(3, 7): 0.9}, [(2, 5, 0.6)]),  # holds only part of a mention
    ],
)
def test_a_tagger_judges_the_names(
    tagged: list[tuple[int, int, float | None]],
    names: dict[tuple[int, int], float],
    found: list[tuple[int, int, float]],
) -> None:
    tagger: Any = Judges(*tagged, names=names)
    recogniser = beside_names(tagger, Finds(*((a, b, None) for a, b in names)), alone=0.5, named=0.2)
    [document] = recogniser.recognise([Document("1", TEXT)])
    assert [(m.start, m.end, m.confidence) for m in document.mentions] == found


def test_the_judge_is_told_what_a_name_holds() -> None:
    tagger: Any = Judges((2, 5, 0.6), (7, 9, 0.9), names={(0, 5): 0.1, (7, 12): 0.1, (14, 16): 0.1})
    told: list[Judgement] = []

    def judge(names: Sequence[Mention], judgements: Sequence[Judgement]) -> list[float]:
        told.extend(judgements)
        return [0.8, 0.1, 0.1]

    names = Finds((0, 5, None), (7, 12, None), (14, 16, None))
    recogniser = beside_names(tagger, names, alone=0.5, named=0.5, judge=judge)
    [document] = recogniser.recognise([Document("1", TEXT)])
    assert [judgement.held for judgement in told] == [0.6, 0.9, 0]
    assert [judgement.added for judgement in told] == [TEXT[:2], TEXT[9:12], ""]
    assert [(m.start, m.end, m.confidence) for m in document.mentions] == [(0, 5, 0.8), (7, 9, 0.9)]


def test_another_judge_decides_over_names_that_the_tagger_does_not_see() -> None:
    tagger: Any = Judges((2, 5, 0.6), names={(0, 5): 0.1, (7, 9): 0.0, (11, 12): 0.9})
    recogniser = beside_names(
        tagger,
        Finds((0, 5, None), (7, 9, None), (11, 12, None)),
        alone=0.5,
        named=0.5,
        judge=lambda names, judgements: [1 - judgement.within for judgement in judgements],
    )
    [document] = recogniser.recognise([Document("1", TEXT)])
    assert [(m.start, m.end, m.confidence) for m in document.mentions] == [(0, 5, 0.9), (7, 9, 1.0)]


@pytest.mark.parametrize(
    ("text", "exact", "type"),
    [
        ("PMH: candida, HTN, DM2. Pt c/o chest pain x 2 days, no SOB.", 0.6, "Disease"),
        ("PMH: candida, HTN, DM2. Pt c/o chest pain x 2 days, no SOB.", 0.05, "Organism"),
        ("The candida strains of 20 patients were sequenced and compared.", None, "Organism"),
    ],
)
def test_names_of_some_kinds_are_diseases_in_notes_where_the_judge_thinks_so(
    text: str, exact: float | None, type: str
) -> None:
    start = text.index("candida")
    place = (start, start + len("candida"))
    tagger: Any = Judges(names={} if exact is None else {place: exact})
    names = Finds((*place, None), type="Organism")
    told: list[bool] = []

    def judge(names: Sequence[Mention], judgements: Sequence[Judgement]) -> list[float]:
        told.extend(judgement.seldom for judgement in judgements)
        return [judgement.exact for judgement in judgements]

    recogniser = beside_names(
        tagger, names, alone=0.5, named=0.5, in_notes={"Organism": "Disease"}, judge=judge
    )
    [document] = recogniser.recognise([Document("1", text)])
    assert [m.type for m in document.mentions] == [type]
    assert told == ([] if exact is None else [True])


def test_findings_count_from_a_probability_of_their_own() -> None:
    tagger: Any = Judges(names={(0, 4): 0.2, (5, 8): 0.05})
    names = Finds((0, 4, None), (5, 8, None), type="Condition")
    recogniser = beside_names(
        tagger, names, alone=0.5, named=0.5, kinds={"Condition": "Disease"}, rarely={"Condition": 0.1}
    )
    [document] = recogniser.recognise([Document("1", "gout old and more")])
    assert [(m.text, m.type, m.confidence) for m in document.mentions] == [("gout", "Condition", 0.2)]


def test_a_text_that_is_a_name_and_nothing_else_is_a_mention() -> None:
    tagger: Any = Judges((0, 1, 0.9), names={(0, 4): 0.0})
    recogniser = beside_names(tagger, Finds((0, 4, None)), alone=0.5, named=0.2)
    alone, within = recogniser.recognise([Document("1", "gout.\n"), Document("2", "gout of old")])
    assert [(m.start, m.end) for m in alone.mentions] == [(0, 4)]
    assert [(m.start, m.end) for m in within.mentions] == [(0, 1)]


def test_names_of_types_that_the_tagger_lacks_stay_where_nothing_else_is() -> None:
    tagger: Any = Judges((2, 5, 0.9), names={})
    names = Finds((1, 3, None), (8, 9, None), type="Anatomy")
    recogniser = beside_names(tagger, names, alone=0.5, named=0.2)
    [document] = recogniser.recognise([Document("1", TEXT)])
    assert [(m.start, m.end, m.type) for m in document.mentions] == [(2, 5, "Disease"), (8, 9, "Anatomy")]
    assert recogniser.types == {"Disease", "Anatomy"}


def test_chemicals_do_not_count_where_the_text_means_a_variant() -> None:
    text = "Zinc and valine to leucine at codon 66."
    tagger: Any = Judges((0, 4, 0.9), (9, 15, 0.9), names={(19, 26): 0.9})
    tagger.type = "Chemical"
    names = Finds((19, 26, None), type="Chemical")
    recogniser = beside_names(tagger, names, alone=0.5, named=0.2)
    [document] = recogniser.recognise([Document("1", text)])
    assert [m.text for m in document.mentions] == ["Zinc"]
    tagger.type = names.type = "Disease"
    [document] = recogniser.recognise([Document("1", text)])
    assert [m.text for m in document.mentions] == ["Zinc", "valine", "leucine"]
