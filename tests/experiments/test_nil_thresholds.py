"""NIL thresholds: DILBERT's three by hand and by property, the best of all thresholds by trying them all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nil_thresholds import NilCases, is_nil, nil_cases, nil_rules, nil_threshold

from linnet.errors import RequestError, UnknownNameError
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept, Document, Mention

# Minus the distances 1, 2 and 3 (right), 4 (another concept than the gold one), 2.5 and 5 (no concept).
BY_HAND = NilCases(
    -np.array([1.0, 2.0, 3.0, 4.0, 2.5, 5.0]),
    np.array([True, True, True, True, False, False]),
    np.array([True, True, True, False, False, False]),
)


@pytest.mark.parametrize(
    ("rule", "distance"),
    [
        ("false-positives", 2.5),  # the nearest of those without a concept
        ("true-positives", 3.0),  # the farthest of those linked right
        ("weighted", (2 * 2.5 + 3 * 3.0) / 5),
        ("weighted-crossed", (3 * 2.5 + 2 * 3.0) / 5),
    ],
)
def test_the_rules_of_the_paper_by_hand(rule: str, distance: float) -> None:
    assert nil_threshold(BY_HAND, rule) == pytest.approx(-distance)


def test_the_farther_is_nil_and_the_threshold_itself_is_not() -> None:
    assert is_nil(BY_HAND.scores, -2.5).tolist() == [False, False, True, True, False, True]


def test_right_is_a_link_kept_or_nil_said_of_what_means_no_concept() -> None:
    # With 3 as the greatest distance the mention at 2.5 is linked, the wrong link at 4 becomes NIL, which is as wrong.
    assert BY_HAND.judge(-3.0).tolist() == [True, True, True, False, False, True]


numbers = st.integers(-6, 6).map(float)
kinds = st.sampled_from([(False, False), (True, False), (True, True)])


@st.composite
def cases(draw: st.DrawFn) -> NilCases:
    """Mentions of all three kinds, at least one of the two that the paper's rules need."""
    drawn = draw(st.lists(st.tuples(numbers, kinds), max_size=30))
    drawn += [(draw(numbers), (False, False)), (draw(numbers), (True, True))]
    table = np.array([[score, *kind] for score, kind in drawn])
    return NilCases(table[:, 0], table[:, 1].astype(bool), table[:, 2].astype(bool))


@given(cases())
def test_false_positives_leave_at_most_the_nearest_linked(given: NilCases) -> None:
    threshold = nil_threshold(given, "false-positives")
    linked = ~is_nil(given.scores, threshold) & ~given.known
    assert linked.any()
    assert (given.scores[linked] == threshold).all()


@given(cases())
def test_true_positives_keep_every_right_link(given: NilCases) -> None:
    threshold = nil_threshold(given, "true-positives")
    assert not is_nil(given.scores[given.right], threshold).any()
    assert is_nil(given.scores[given.right], np.nextafter(threshold, np.inf)).any()


@given(cases())
def test_the_two_weightings_lie_between_and_add_up(given: NilCases) -> None:
    first, second = nil_threshold(given, "false-positives"), nil_threshold(given, "true-positives")
    straight, crossed = nil_threshold(given, "weighted"), nil_threshold(given, "weighted-crossed")
    for between in (straight, crossed):
        assert min(first, second) - 1e-9 <= between <= max(first, second) + 1e-9
    assert straight + crossed == pytest.approx(first + second)


@given(cases(), st.floats(0.1, 10), numbers)
def test_thresholds_move_with_the_scores(given: NilCases, scale: float, shift: float) -> None:
    moved = replace(given, scores=given.scores * scale + shift)
    for rule in nil_rules:
        expected = nil_threshold(given, rule) * scale + shift
        assert nil_threshold(moved, rule) == pytest.approx(expected, abs=1e-6)


@given(cases())
def test_no_threshold_is_right_more_often_than_most_right(given: NilCases) -> None:
    threshold = nil_threshold(given, "most-right")
    count = given.judge(threshold).sum()
    tried = [-np.inf, *given.scores, np.inf]
    assert count == max(given.judge(other).sum() for other in tried)
    assert all(given.judge(other).sum() < count for other in tried if other < threshold)


@given(cases(), st.randoms(use_true_random=False))
def test_order_does_not_matter(given: NilCases, random: object) -> None:
    places = list(range(len(given)))
    random.shuffle(places)  # type: ignore[attr-defined]
    for rule in nil_rules:
        assert nil_threshold(given.take(places), rule) == pytest.approx(nil_threshold(given, rule))


def test_what_is_missing_is_named() -> None:
    known, nil = BY_HAND.take([0, 1]), BY_HAND.take([4, 5])
    with pytest.raises(RequestError, match="All 2 mentions have a concept"):
        nil_threshold(known, "false-positives")
    with pytest.raises(RequestError, match="None of 2 mentions is linked right"):
        nil_threshold(nil, "weighted")
    with pytest.raises(UnknownNameError, match="most-right"):
        nil_threshold(BY_HAND, "most")
    assert nil_threshold(known, "most-right") == -np.inf
    assert nil_threshold(nil, "most-right") == np.inf


def test_impossible_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="same length"):
        NilCases(np.zeros(2), np.ones(1, bool), np.ones(2, bool))
    with pytest.raises(ValueError, match="finite"):
        NilCases(np.array([np.nan]), np.array([True]), np.array([True]))
    with pytest.raises(ValueError, match="cannot be linked right"):
        NilCases(np.zeros(1), np.array([False]), np.array([True]))


CONCEPTS = [
    Concept("T:1", "gout", ("podagra",)),
    Concept("T:2", "arthritis", ("joint inflammation",)),
    Concept("T:3", "breast cancer"),
    Concept("T:4", "ovarian cancer"),
    Concept("T:9", "", replaced_by=("T:2",)),
]


def document(*annotated: tuple[str, tuple[str, ...]]) -> Document:
    """Mentions one after the other, with their concepts."""
    text = "; ".join(mention for mention, _ in annotated)
    bare = Document("d", text)
    places = [text.index(mention) for mention, _ in annotated]
    mentions = [
        Mention(bare, start, start + len(mention), mention, concepts=ids)
        for start, (mention, ids) in zip(places, annotated, strict=True)
    ]
    return bare.with_mentions(tuple(mentions))


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    write_terminology(CONCEPTS, tmp_path / "t")
    build_indexes(Terminology.open(tmp_path / "t"), ("exact", "sparse"))
    return Terminology.open(tmp_path / "t")


def test_a_threshold_from_links_works_as_the_pipelines_least_score(terminology: Terminology) -> None:
    annotated = document(
        ("podagra", ("T:1",)),
        ("inflamed joint", ("T:9",)),  # an id that T:2 replaced
        ("podiatry", ()),
        ("jointly", ("X:1",)),  # a concept that the terminology lacks
        ("breast and ovarian cancer", ("T:3", "T:4")),  # has no one score
    )
    pipeline = Pipeline(retrievers=("exact", "sparse"), reranker=None, min_score=0.99)
    cases = nil_cases(Linker.open([terminology.path], pipeline=pipeline), [annotated])
    assert cases.known.tolist() == [True, True, False, False]
    assert cases.right.tolist() == [True, True, False, False]
    threshold = nil_threshold(cases, "most-right")
    chosen = Linker.open([terminology.path], pipeline=replace(pipeline, min_score=threshold))
    links = chosen.link(list(annotated.mentions))
    assert [link.concepts for link in links] == [("T:1",), ("T:2",), (), (), ("T:3", "T:4")]


def test_nothing_to_compare_with_is_an_error(terminology: Terminology) -> None:
    linker = Linker.open([terminology.path], pipeline=Pipeline(retrievers=("exact", "sparse"), reranker=None))
    with pytest.raises(RequestError, match="None of 1 mentions has a score"):
        nil_cases(linker, [document(("zzzzqq", ()))])
