from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

from linnet.annotate.domain.agreement.measures import Measure, cohens_kappa, krippendorffs_alpha, span_f1


def test_kappa_is_what_cohen_computes_by_hand() -> None:
    pairs = [("a", "a")] * 20 + [("a", "b")] * 5 + [("b", "a")] * 10 + [("b", "b")] * 15
    # p_o = 35/50 = 0.7; p_e = (25·30 + 25·20)/50² = 0.5; how they are spread over documents does not matter
    assert cohens_kappa([pairs]).value == pytest.approx(0.4)
    assert cohens_kappa([pairs[:7], pairs[7:30], [], pairs[30:]]).value == pytest.approx(0.4)


def test_kappa_of_chance_is_nought_and_of_perfection_one() -> None:
    assert cohens_kappa([[("a", "a"), ("a", "b")], [("b", "a"), ("b", "b")]]).value == pytest.approx(0)
    assert cohens_kappa([[("a", "a"), ("b", "b")]]).value == 1
    assert cohens_kappa([[("a", "b"), ("b", "a")]]).value == -1


def test_measures_are_not_defined_without_items_or_with_one_label() -> None:
    assert cohens_kappa([]) == cohens_kappa([[]]) == (None, None)
    assert cohens_kappa([[("a", "a"), ("a", "a")]]) == (None, None)
    assert krippendorffs_alpha([]) == krippendorffs_alpha([[["a"], ["b"]]]) == (None, None)
    assert krippendorffs_alpha([[["a", "a"]]]) == (None, None)
    assert span_f1([]) == span_f1([(0, 0)]) == (None, None)


def _plain_alpha(units: list[list[str]]) -> float:
    """From the coincidence matrix, with loops: Krippendorff 2011."""
    coincidences: dict[tuple[str, str], float] = {}
    for unit in units:
        for one, other in permutations(range(len(unit)), 2):
            key = unit[one], unit[other]
            coincidences[key] = coincidences.get(key, 0) + 1 / (len(unit) - 1)
    labels = {one for one, _ in coincidences}
    totals = {label: sum(n for (one, _), n in coincidences.items() if one == label) for label in labels}
    number = sum(totals.values())
    observed = sum(n for (one, other), n in coincidences.items() if one != other)
    expected = sum(totals[a] * totals[b] for a, b in permutations(labels, 2)) / (number - 1)
    return 1 - observed / expected


def test_alpha_is_what_plain_loops_over_the_coincidences_give() -> None:
    random = Random(7)
    documents = [
        [[random.choice("aabc") for _ in range(random.randint(1, 4))] for _ in range(random.randint(0, 9))]
        for _ in range(12)
    ]
    units = [unit for items in documents for unit in items if len(unit) > 1]
    estimate = krippendorffs_alpha(documents)
    assert estimate.value == pytest.approx(_plain_alpha(units))
    assert krippendorffs_alpha([[["a", "a"], ["b", "b", "b"]]]).value == 1


def test_span_f1_is_micro_averaged_over_documents() -> None:
    assert span_f1([(3, 8), (1, 4)]).value == pytest.approx(8 / 12)


def test_the_interval_holds_the_value_narrows_with_documents_and_is_the_same_every_time() -> None:
    few = [(4, 10), (1, 10), (5, 10), (3, 10)]
    estimate, again, many = span_f1(few), span_f1(few), span_f1(few * 50)
    assert estimate == again
    for value, (low, high) in (estimate, many):
        assert low < value < high
    assert _width(many) < _width(estimate) / 3
    assert span_f1([(5, 10)] * 9) == (1, (1, 1))  # no document differs from the others


def _width(measure: Measure) -> float:
    assert measure.interval is not None
    low, high = measure.interval
    return high - low
