"""Right and wrong on answers small enough to judge by eye."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from linnet.evaluate.accuracy import lenient, overlap, strict
from linnet.evaluate.gold import Gold, Predicted

IDS = st.sampled_from(["X:1", "X:2", "X:3", "X:4"])


def gold(*concepts: str, combined: bool = False) -> Gold:
    return Gold("d", 0, 4, "text", "Disease", frozenset(concepts), combined)


def said(*concepts: str, top: tuple[str, ...] = (), parts: tuple[Predicted, ...] = ()) -> Predicted:
    ranked = (top,) if top else tuple((c,) for c in concepts)
    return Predicted(frozenset(concepts), ranked, parts=parts)


def test_strict_wants_exactly_the_gold_set() -> None:
    golds = [gold("A"), gold("A", "B"), gold("A", "B"), gold("A"), gold()]
    answers = [said("A"), said("A", "B"), said("A"), said("A", "B"), said()]
    assert strict(golds, answers) == [True, True, False, False, True]


def test_any_wants_one_concept_in_common() -> None:
    golds = [gold("A", "B"), gold("A"), gold("A"), gold()]
    answers = [said("B", "C"), said("B"), said(), said()]
    assert overlap(golds, answers) == [True, False, False, False]


def test_lenient_accepts_a_homonym_of_a_gold_concept_where_strict_does_not() -> None:
    answer = said("A", top=("A", "B"))
    assert strict([gold("B")], [answer]) == [False]
    assert lenient([gold("B")], [answer]) == [True]
    assert lenient([gold("C")], [answer]) == [False]


def test_lenient_wants_every_part_of_a_composite_and_nothing_besides() -> None:
    both = said("A", "B", parts=(said("A"), said("B")))
    assert lenient([gold("A", "B")], [both]) == [True]
    assert lenient([gold("A", "B")], [said("A")]) == [False]
    assert lenient([gold("A")], [both]) == [False]


def test_lenient_asks_nothing_of_a_part_without_a_concept() -> None:
    answer = said("A", parts=(said("A"), said()))
    assert lenient([gold("A")], [answer]) == [True]
    assert lenient([gold("A", "B")], [answer]) == [False]


def test_lenient_reads_several_concepts_without_parts_as_parts() -> None:
    flat = Predicted(frozenset({"A", "B"}))
    assert lenient([gold("A", "B"), gold("A")], [flat, flat]) == [True, False]


def test_lenient_takes_one_concept_of_a_combined_mention_for_right() -> None:
    assert lenient([gold("A", "B", combined=True)], [said("B")]) == [True]
    assert lenient([gold("A", "B", combined=True)], [said("C")]) == [False]


def test_lenient_never_counts_nil_as_right() -> None:
    withheld = Predicted(frozenset(), (("A",),))
    assert lenient([gold("A"), gold()], [withheld, withheld]) == [False, False]


@given(st.frozensets(IDS, min_size=1), st.frozensets(IDS))
def test_strictly_right_is_right_under_every_reading(
    concepts: frozenset[str], emitted: frozenset[str]
) -> None:
    golds, answers = [Gold("d", 0, 1, "t", "", concepts)], [Predicted(emitted)]
    if strict(golds, answers)[0]:
        assert overlap(golds, answers)[0]
        assert lenient(golds, answers)[0]
    if lenient(golds, answers)[0]:
        assert overlap(golds, answers)[0]
