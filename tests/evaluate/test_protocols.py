"""Protocols on a corpus of six mentions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import RequestError, UnknownNameError
from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.protocols import Context, Result, parse_protocol, protocols, score
from linnet.evaluate.subsets import Seen


def gold(document: str, start: int, text: str, *ids: str) -> Gold:
    return Gold(document, start, start + len(text), text, "Disease", frozenset(ids))


GOLDS = [
    gold("d1", 0, "flu", "A"),
    gold("d1", 9, "pox", "B"),
    gold("d1", 20, "flu and pox", "A", "B"),
    gold("d2", 0, "grippe", "A"),
    gold("d2", 9, "fog"),
    gold("d3", 0, "zest", "Z"),
]
ANSWERS = [
    Predicted(frozenset("A"), (("A",),)),
    Predicted(frozenset("C"), (("C", "B"),)),
    Predicted(frozenset("A"), (("A",), ("B",))),
    Predicted(frozenset("A"), (("A",),)),
    Predicted(frozenset("C"), (("C",),)),
    Predicted(),
]
CONTEXT = Context(
    known={"A", "B", "C"}.__contains__,
    seen=Seen(frozenset({"flu"}), frozenset("A")),
    annotations=[gold("d1", 1, "fl", "A"), gold("d2", 0, "grippe", "C")],
)


def run(name: str, context: Context = CONTEXT) -> Result:
    return score(parse_protocol(name), GOLDS, ANSWERS, context)


def figures(result: Result) -> dict[str, tuple[float, float]]:
    return {s.name: (s.numerator, s.denominator) for s in result.scores}


def test_strict_counts_every_mention_with_a_gold_concept() -> None:
    result = run("strict")
    assert result.dropped == {"no gold concept": 1}
    assert result.places == (0, 1, 2, 3, 5)
    assert result.right == (True, False, False, True, False)
    assert figures(result)["accuracy"] == (2, 5)
    assert figures(result)["any"] == (3, 5)
    assert figures(result)["Acc@5"] == (4, 5)
    assert figures(result)["recall@1"] == (3, 6)
    assert figures(result)["MRR"] == (1 + 0.5 + 1 + 0.5 + 1 + 0, 6)


def test_lenient_drops_gold_outside_the_terminology_and_says_so() -> None:
    result = run("lenient")
    assert result.dropped == {"no gold concept": 1, "gold outside the terminology": 1}
    assert figures(result)["accuracy"] == (3, 4)


def test_lenient_without_a_terminology_drops_nothing_and_says_so() -> None:
    result = run("lenient", Context())
    assert figures(result)["accuracy"] == (3, 5)
    assert "No terminology" in result.notes[0]


def test_document_compares_sets() -> None:
    # gold d1 {A,B}, d2 {A}, d3 {Z}; emitted d1 {A,C}, d2 {A,C}
    shown = figures(run("document"))
    assert shown == {"F1": (4, 8), "precision": (2, 4), "recall": (2, 4)}


def test_nil_counts_all_mentions() -> None:
    shown = figures(run("nil"))
    assert shown["NIL precision"] == (0, 1)
    assert shown["NIL recall"] == (0, 1)
    assert shown["accuracy over all"] == (2, 6)


def test_end_to_end_reports_weak_strong_and_recognition() -> None:
    shown = figures(run("end-to-end"))
    assert shown["weak precision"] == (1, 2)
    assert shown["weak recall"] == (1, 6)
    assert shown["strong recall"] == (0, 6)
    assert shown["recognition, overlapping, recall"] == (2, 6)
    assert shown["recognition, exact, precision"] == (1, 2)
    assert shown["document recall"] == (1, 4)


def test_end_to_end_needs_annotations() -> None:
    with pytest.raises(RequestError, match="running text"):
        run("end-to-end", Context())


def test_subsets_come_first_and_their_losses_are_listed() -> None:
    result = run("lenient+unseen-surface")
    assert result.protocol == "lenient+unseen-surface"
    assert result.places == (1, 2, 3)
    assert result.dropped == {
        "surface seen in train": 1,
        "no gold concept": 1,
        "gold outside the terminology": 1,
    }


def test_subsets_need_training_data() -> None:
    with pytest.raises(RequestError, check=advises(Step.GIVE_TRAINING_DATA)):
        run("refined", Context())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("strict", "strict"),
        ("unseen-surface", "strict+unseen-surface"),
        ("unseen-exact", "lenient+unseen-exact"),
        ("strict+unseen-exact", "strict+unseen-exact"),
        ("augmented+lenient", "lenient+augmented"),
        (" Refined + lenient +augmented", "lenient+augmented+refined"),
    ],
)
def test_names_combine_in_any_order(text: str, name: str) -> None:
    assert parse_protocol(text).name == name


def test_an_unknown_name_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'lenient'.*augmented.*unseen-surface"):
        parse_protocol("lenint")


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("strict+lenient", Step.SEPARATE_PROTOCOLS),
        ("end-to-end+refined", Step.USE_PROTOCOL),
        ("end-to-end+augmented", Step.USE_PROTOCOL),
    ],
)
def test_what_cannot_be_combined_is_refused(text: str, step: Step) -> None:
    with pytest.raises(RequestError, check=advises(step)):
        parse_protocol(text)


def test_every_protocol_states_its_rule_in_a_sentence() -> None:
    for name in protocols:
        assert run(name).rule.endswith(".")
        assert "\n" not in run(name).rule


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(len(GOLDS))))
def test_figures_do_not_depend_on_the_order_of_mentions(order: list[int]) -> None:
    golds, answers = [GOLDS[i] for i in order], [ANSWERS[i] for i in order]
    for name in ("strict", "lenient", "document", "nil", "end-to-end", "unseen-concept"):
        assert score(parse_protocol(name), golds, answers, CONTEXT).scores == run(name).scores


def test_a_perfect_system_scores_one_everywhere() -> None:
    answers = [
        Predicted(g.concepts, parts=tuple(Predicted(frozenset({c}), ((c,),)) for c in sorted(g.concepts)))
        for g in GOLDS
    ]
    context = Context(seen=CONTEXT.seen, annotations=GOLDS)
    for name in (*protocols, "refined", "unseen-surface", "unseen-concept"):
        result = score(parse_protocol(name), GOLDS, answers, context)
        assert {s.value for s in result.scores} == {1.0}, name
