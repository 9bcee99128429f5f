"""Answers come back from their file as they went in, without the names."""

from __future__ import annotations

from pathlib import Path

from benchmarks.generalisation.answers import Answer, read_answers, score_of, write_answers
from linnet.evaluate.gold import Predicted
from linnet.types import Candidate, Link, Mention


def test_answers_come_back_as_they_were_written(tmp_path: Path) -> None:
    part = Predicted(frozenset(["X:1"]), (("X:1", "X:2"), ("X:3",)), probability=0.5)
    answers = [
        Answer(Predicted(frozenset(["X:1"]), (("X:1",),), parts=(part,)), 0.25),
        Answer(Predicted(), 0.0),
    ]
    write_answers(tmp_path / "new" / "a.json.gz", answers)
    assert read_answers(tmp_path / "new" / "a.json.gz") == answers


def test_a_composite_is_as_sure_as_its_least_sure_part() -> None:
    def link(*scores: float) -> Link:
        candidates = tuple(Candidate(f"X:{score}", "", score, "dense") for score in scores)
        return Link(Mention.alone("x"), candidates=candidates)

    assert score_of(link(0.9, 0.95)) == 0.9
    assert score_of(Link(Mention.alone("x and y"), parts=(link(0.9), link(0.4)))) == 0.4
    assert score_of(link()) == 0
