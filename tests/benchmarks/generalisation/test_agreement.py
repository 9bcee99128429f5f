"""Agreement of two annotators, against figures worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.generalisation.agreement import agreement, alpha, jaccard, kappa, read

A, B, C = (frozenset([letter]) for letter in "abc")
NIL: frozenset[str] = frozenset()


def test_two_annotators_who_agree_on_everything_have_1_everywhere() -> None:
    answers = {1: A, 2: B | C, 3: NIL}
    assert agreement(answers, answers) == (3, 1, 1, 1, 1, 1, 1)


def test_sets_that_overlap_count_in_part() -> None:
    assert jaccard(A | B, B | C) == pytest.approx(1 / 3)
    assert jaccard(NIL, NIL) == 1
    assert jaccard(A, NIL) == 0


def test_alpha_of_two_strings_by_hand() -> None:
    # Answers a a b c: one of two pairs differs; of the six pairs of answers five differ.
    assert alpha([(A, A), (B, C)], lambda x, y: float(x != y)) == pytest.approx(1 - (1 / 2) / (5 / 6))


def test_kappa_takes_off_what_chance_gives() -> None:
    # Both say yes in half of the cases and agree in half: what chance gives.
    assert kappa([(True, True), (True, False), (False, True), (False, False)]) == 0
    assert kappa([(False, False)]) == 1


def test_nil_is_counted_apart() -> None:
    figures = agreement({1: NIL, 2: NIL, 3: A, 4: B}, {1: NIL, 2: A, 3: A, 4: C})
    assert figures.equal == 0.5
    assert figures.nil_f1 == pytest.approx(2 / 3)
    assert figures.nil_kappa == pytest.approx(0.5)


def test_answers_to_different_strings_are_refused_with_their_numbers() -> None:
    with pytest.raises(ValueError, match=r"\[2, 3\]"):
        agreement({1: A, 2: B}, {1: A, 3: B})


def test_a_number_answered_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"number": 1, "concepts": ["a"]}\n{"number": 1, "concepts": []}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="number 1 comes twice"):
        read(file)
