"""Scoring of dev sets, on a terminology of three concepts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.generalisation.answers import Answer
from benchmarks.generalisation.dev_set import DevSet, mention_document, only
from benchmarks.generalisation.figures import DISTINCT, Lump, difference, figures, judge, lump
from benchmarks.generalisation.page import Row, render
from linnet.evaluate.gold import Predicted
from linnet.link.indexing import build_indexes
from linnet.terminology import write_terminology
from linnet.types import Concept, Document, Mention

GOLDS = [
    ("dorn fever", ["X:1"]),
    ("vell rash", ["X:2"]),
    ("dorn fever and vell rash", ["X:1", "X:2"]),
    ("n/a", []),
]


def _set(path: Path, labels: tuple[str, ...]) -> DevSet:
    terminology = write_terminology(
        [Concept("X:1", "Dorn fever"), Concept("X:2", "Vell rash"), Concept("X:9", "", replaced_by=("X:1",))],
        path,
    )
    build_indexes(terminology, ["exact"])
    golds = GOLDS if labels else [row for row in GOLDS if row[1]]
    documents = [mention_document(text, concepts, id=text) for text, concepts in golds]
    return DevSet("invented", "Invented", terminology, tuple(documents), "Invented.", "string", labels=labels)


def _answer(*concepts: str, probability: float | None = None) -> Answer:
    ranked = tuple((concept,) for concept in concepts)
    return Answer(Predicted(frozenset(concepts), ranked, probability=probability), probability or 0.0)


def test_strings_are_right_as_sets_with_nil_among_them(tmp_path: Path) -> None:
    dev_set = _set(tmp_path / "t", ("exact", "exact", "several", "nil"))
    answers = [_answer("X:9", probability=0.9), _answer(), _answer("X:1", probability=0.3), _answer()]
    found = figures(dev_set, judge(dev_set, answers))
    assert found.scores["equal"].value == 0.5
    assert found.scores["NIL precision"].value == 0.5
    assert found.scores["NIL recall"].value == 1
    assert {label: score.value for label, score in found.by_label.items()} == {
        "exact": 0.5,
        "several": 0,
        "nil": 1,
    }
    assert found.coverage == 0.25  # the one answer that is right comes before the one that is wrong
    assert found.calibration is not None
    assert found.calibration.answers == 2


def test_mentions_are_scored_leniently_strictly_and_paired(tmp_path: Path) -> None:
    dev_set = _set(tmp_path / "t", ())
    better = judge(dev_set, [_answer("X:1"), _answer("X:2"), _answer("X:1", "X:2")])
    worse = judge(dev_set, [_answer("X:1"), _answer("X:1"), _answer("X:1", "X:2")])
    assert figures(dev_set, better).scores["strict"].value == 1
    gain = difference(better, worse, "lenient")
    assert gain.value == pytest.approx(1 / 3)
    assert gain.low is not None
    assert figures(dev_set, worse).calibration is None
    assert figures(dev_set, worse).scores["recall@8"].value == pytest.approx(3 / 4)


def test_distinct_texts_are_no_exact_names_and_count_once_a_document(tmp_path: Path) -> None:
    dev_set = _set(tmp_path / "t", ())
    documents = [
        mention_document(text, [concept], id=id)
        for id, text, concept in [
            ("1", "Dorn-Fever", "X:1"),
            ("1", "fever of Dorn", "X:1"),
            ("1", "Fever of dorn", "X:1"),
            ("2", "fever of Dorn", "X:1"),
            ("2", "rash", "X:2"),
        ]
    ]
    dev_set = replace(dev_set, documents=tuple(documents))
    assert dev_set.distinct == [1, 3, 4]
    better = judge(dev_set, [_answer("X:2"), *[_answer("X:1")] * 3, _answer("X:2")])
    worse = judge(dev_set, [_answer("X:1")] * 3 + [_answer("X:2")] * 2)
    protocol = f"lenient{DISTINCT}"
    assert better.results[protocol].places == (1, 3, 4)
    assert figures(dev_set, worse).scores[protocol].value == pytest.approx(2 / 3)
    assert difference(better, worse, protocol).value == pytest.approx(1 / 3)
    assert lump(better, worse, protocol) == Lump("2", 1.0)
    assert lump(worse, better, protocol) is None


def test_the_page_has_a_row_for_every_set_and_no_field_left(tmp_path: Path) -> None:
    strings, mentions = _set(tmp_path / "s", ("exact", "exact", "several", "nil")), _set(tmp_path / "m", ())
    rows = []
    for dev_set in (strings, mentions):
        answers = {
            "plain": [_answer("X:2")] * len(dev_set.mentions),
            "linnet": [_answer("X:1", probability=0.5)] * len(dev_set.mentions),
            "accurate": [_answer("X:1", probability=0.8)] * len(dev_set.mentions),
        }
        judged = {name: judge(dev_set, own) for name, own in answers.items()}
        linnet, accurate = judged["linnet"], judged["accurate"]
        gains = {
            "accurate − linnet": {
                protocol: difference(accurate, linnet, protocol) for protocol in linnet.results
            }
        }
        rows.append(Row(dev_set, {name: figures(dev_set, one) for name, one in judged.items()}, gains))
    text = "\n\n".join(render(rows, machine="A machine").values())
    assert text.endswith("A machine")
    assert "|  | n | plain | linnet | accurate | accurate − linnet |" in text
    assert "| Invented | 3 | 33.3 | 33.3 | 33.3 | +0.0 (+0.0 to +0.0) |" in text
    assert "| Invented | 1 | 0.0 | 0.0 | 0.0 | +0.0 |" in text
    assert "| mean of the sets |  | 0.0 | 0.0 | 0.0 | +0.0 |" in text
    assert "| Invented: nil | 1 | 0.0 | 0.0 | 0.0 |" in text
    # A system's probabilities are counted for themselves, and those of a system that has none not at all.
    assert "| all strings | linnet | 4 | 0.500 | 0.250 |" in text
    assert "| all strings | accurate | 4 | 0.800 | 0.250 |" in text
    assert "| all strings | plain" not in text


def test_paragraphs_of_one_text_are_drawn_together() -> None:
    documents = tuple(
        Document(id, "x", (Mention(Document(id, "x"), 0, 1, "x", "A", ("X:1",)),)) for id in ("7-1", "7-2")
    )
    dev_set = DevSet("x", "x", None, documents, "", unit="text")  # type: ignore[arg-type]
    assert dev_set.units == ["7", "7"]


def test_mentions_of_other_types_and_without_a_concept_do_not_count() -> None:
    home = Document("1", "x y z")
    mentions = (
        Mention(home, 0, 1, "x", "A", ("X:1",)),
        Mention(home, 2, 3, "y", "B", ("X:1",)),
        Mention(home, 4, 5, "z", "A"),
    )
    kept = only([home.with_mentions(mentions), home], "A")
    assert [mention.text for document in kept for mention in document.mentions] == ["x"]
