"""NIL for programs that always answer."""

from __future__ import annotations

from benchmarks.generalisation.answers import Answer
from benchmarks.generalisation.nil_threshold import best_threshold, by_other_half, withheld
from linnet.evaluate.gold import Gold, Predicted


def _answer(concept: str, score: float) -> Answer:
    return Answer(Predicted(frozenset([concept]), ((concept,),)), score)


def _gold(*concepts: str) -> Gold:
    return Gold("", 0, 0, "", concepts=frozenset(concepts))


ANSWERS = [_answer("a", 0.9), _answer("b", 0.6), _answer("c", 0.5), _answer("d", 0.2)]
GOLDS = [_gold("a"), _gold("b"), _gold(), _gold()]


def test_the_threshold_gets_most_strings_right() -> None:
    assert best_threshold(ANSWERS, GOLDS) == 0.6


def test_without_a_nil_every_answer_is_believed() -> None:
    assert best_threshold(ANSWERS, [_gold("x")] * 4) == 0.0


def test_what_scores_less_is_nil_and_keeps_its_candidates() -> None:
    settled = withheld(ANSWERS, 0.6)
    assert [sorted(answer.predicted.concepts) for answer in settled] == [["a"], ["b"], [], []]
    assert settled[3].predicted.ranked == (("d",),)


def test_each_half_gets_the_threshold_of_the_other() -> None:
    # Even places alone would choose 0.9, odd places 0.6.
    settled = by_other_half(ANSWERS, GOLDS)
    assert [bool(answer.predicted.concepts) for answer in settled] == [True, False, False, False]
