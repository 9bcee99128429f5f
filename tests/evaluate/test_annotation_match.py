"""Matching annotations of running text."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from linnet.evaluate.annotation_match import match_counts, matches
from linnet.evaluate.gold import Gold

SPANS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 8)).map(lambda p: (p[0], p[0] + p[1])),
    max_size=9,
    unique=True,
)


def at(start: int, end: int, *concepts: str, document: str = "d") -> Gold:
    return Gold(document, start, end, "", "", frozenset(concepts))


def test_weak_wants_an_overlap_and_the_same_concept() -> None:
    golds = [at(0, 10, "A"), at(20, 30, "B"), at(40, 50, "C")]
    found = [at(5, 12, "A"), at(20, 30, "Z"), at(50, 55, "C")]
    assert match_counts(golds, found, match="weak") == (["d"], [1], [3], [3])


def test_strong_wants_equal_spans() -> None:
    golds, found = [at(0, 10, "A"), at(20, 30, "B")], [at(0, 10, "A"), at(20, 29, "B")]
    assert match_counts(golds, found, match="strong") == (["d"], [1], [2], [2])


def test_one_long_annotation_matches_only_one_short_one() -> None:
    assert match_counts([at(0, 3, "A"), at(4, 8, "A")], [at(0, 8, "A")], match="weak")[1] == [1]


def test_a_greedy_matching_by_start_is_improved() -> None:
    # the first span overlaps both, the second only the first: greedy would leave it alone
    assert matches([(0, 10), (0, 3)], [(0, 4), (5, 9)], match="weak") == 2


def test_each_concept_of_a_composite_is_an_annotation() -> None:
    assert match_counts([at(0, 9, "A", "B")], [at(0, 4, "A")], match="weak") == (["d"], [1], [1], [2])


def test_annotations_without_a_concept_count_only_for_recognition() -> None:
    golds, found = [at(0, 4), at(6, 9, "A")], [at(0, 4), at(6, 9, "B")]
    assert match_counts(golds, found, match="strong") == (["d"], [0], [1], [1])
    assert match_counts(golds, found, match="strong", concepts=False) == (["d"], [2], [2], [2])


def test_other_documents_do_not_match() -> None:
    counts = match_counts([at(0, 4, "A", document="d")], [at(0, 4, "A", document="e")], match="weak")
    assert counts == (["d", "e"], [0, 0], [0, 1], [1, 0])


@given(SPANS, SPANS)
def test_the_matching_is_as_large_as_scipys(
    left: list[tuple[int, int]], right: list[tuple[int, int]]
) -> None:
    overlaps = np.array([[a[0] < b[1] and b[0] < a[1] for b in right] for a in left], dtype=np.int8)
    size = matches(left, right, match="weak")
    if left and right:
        reference = maximum_bipartite_matching(csr_array(overlaps), perm_type="column")
        assert size == int((reference >= 0).sum())
    assert size == matches(right, left, match="weak")
    assert matches(left, left, match="weak") == len(left)
    assert matches(left, right, match="strong") <= size
