from __future__ import annotations

import pytest

from linnet.annotate.agreement import cohens_kappa


def test_kappa_is_what_cohen_computes_by_hand() -> None:
    first = ["a"] * 20 + ["a"] * 5 + ["b"] * 10 + ["b"] * 15
    second = ["a"] * 20 + ["b"] * 5 + ["a"] * 10 + ["b"] * 15
    # p_o = 35/50 = 0.7; p_e = (25·30 + 25·20)/50² = 0.5
    assert cohens_kappa(first, second) == pytest.approx(0.4)


def test_kappa_of_chance_is_nought_and_of_perfection_one() -> None:
    assert cohens_kappa(["a", "a", "b", "b"], ["a", "b", "a", "b"]) == pytest.approx(0)
    assert cohens_kappa(["a", "b"], ["a", "b"]) == 1
    assert cohens_kappa(["a", "b"], ["b", "a"]) == -1


def test_kappa_is_not_defined_without_items_or_with_one_label() -> None:
    assert cohens_kappa([], []) is None
    assert cohens_kappa(["a", "a"], ["a", "a"]) is None
