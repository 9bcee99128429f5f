"""Rankings combined, recomputed with plain dictionaries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.errors import RequestError
from linnet.retrieve.fuse import cascade, fuse_scores
from linnet.retrieve.hits import Hits, Origin

Ranking = list[list[tuple[int, float]]]  # for each query, (concept, score), best first


def hits(ranking: Ranking, *, k: int, origin: Origin, shift: int) -> Hits:
    """Name rows are 10 × concept + shift, so that tests see which ranking a name came from."""
    made = Hits.empty(len(ranking), k)
    for query, row in enumerate(ranking):
        for place, (concept, score) in enumerate(row):
            made.concepts[query, place] = concept
            made.names[query, place] = 10 * concept + shift
            made.scores[query, place] = score
            made.origins[query, place] = origin
    return made


@st.composite
def rankings(draw: st.DrawFn) -> list[Hits]:
    queries = draw(st.integers(0, 3))
    made = []
    for shift, origin in zip(
        range(draw(st.integers(1, 3))), (Origin.EXACT, Origin.CHAR, Origin.DENSE), strict=False
    ):
        k = draw(st.integers(1, 5))
        row = st.lists(st.integers(0, 7), unique=True, max_size=k)
        scores = st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0]), min_size=k, max_size=k)
        ranking = [
            list(zip(draw(row), sorted(draw(scores), reverse=True), strict=False)) for _ in range(queries)
        ]
        made.append(hits(ranking, k=k, origin=origin, shift=shift))
    return made


def listed(found: Hits, query: int) -> list[int]:
    return [int(concept) for concept in found.concepts[query] if concept >= 0]


def entries(made: list[Hits], query: int) -> dict[int, list[tuple[int, int]]]:
    """Concept → (place from 0, ranking), best first."""
    found: dict[int, list[tuple[int, int]]] = {}
    for number, ranking in enumerate(made):
        for place, concept in enumerate(listed(ranking, query)):
            found.setdefault(concept, []).append((place, number))
    return {concept: sorted(places) for concept, places in found.items()}


def check_shape(made: list[Hits], fused: Hits, k: int) -> None:
    """What holds of every combination: no concept twice, gaps last and empty, names and origins as promised."""
    assert fused.k == k
    assert len(fused) == len(made[0])
    for query in range(len(fused)):
        concepts = listed(fused, query)
        count = len(concepts)
        assert len(set(concepts)) == count
        assert (fused.concepts[query, count:] == -1).all()
        assert np.isneginf(fused.scores[query, count:]).all()
        assert (fused.origins[query, count:] == 0).all()
        assert (np.diff(fused.scores[query, :count]) <= 0).all()
        where = entries(made, query)
        assert count == min(k, len(where))
        for place, concept in enumerate(concepts):
            assert fused.names[query, place] == 10 * concept + where[concept][0][1]
            origins = [int(made[number].origins[query, at]) for at, number in where[concept]]
            assert fused.origins[query, place] == np.bitwise_or.reduce(origins)


@given(rankings(), st.integers(1, 6))
def test_cascade_lists_the_first_ranking_then_what_the_next_adds(made: list[Hits], k: int) -> None:
    fused = cascade(made, k=k)
    for query in range(len(fused)):
        expected = list(dict.fromkeys(concept for ranking in made for concept in listed(ranking, query)))[:k]
        # A concept of two rankings stands where the first that has it puts it.
        assert listed(fused, query) == expected
        assert (np.diff(fused.scores[query, : len(expected)]) <= 0).all()
        for place, concept in enumerate(expected):
            number, at = next(
                (n, listed(r, query).index(concept))
                for n, r in enumerate(made)
                if concept in r.concepts[query]
            )
            assert fused.names[query, place] == 10 * concept + number
            assert fused.scores[query, place] <= made[number].scores[query, at]


@given(
    made=rankings(),
    weights=st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=3, max_size=3),
    k=st.integers(1, 6),
)
def test_scores_are_weighted_and_added(made: list[Hits], weights: list[float], k: int) -> None:
    weights = weights[: len(made)]
    fused = fuse_scores(made, weights=weights, k=k)
    check_shape(made, fused, k)
    for query in range(len(fused)):
        totals: dict[int, list[float]] = {concept: [] for concept in entries(made, query)}
        for ranking, weight in zip(made, weights, strict=True):
            concepts = listed(ranking, query)
            scores = ranking.scores[query, : len(concepts)].astype(float)
            found = dict(zip(concepts, scores, strict=True))
            for concept, parts in totals.items():
                parts.append(weight * found.get(concept, min(scores, default=0.0)))
        where = entries(made, query)
        expected = sorted(
            where, key=lambda concept: (-round(sum(totals[concept]), 7), where[concept][0], concept)
        )
        assert listed(fused, query) == expected[:k]
        for place, concept in enumerate(listed(fused, query)):
            assert fused.scores[query, place] == pytest.approx(sum(totals[concept]), abs=1e-5)


def test_one_ranking_fused_by_score_keeps_its_order() -> None:
    made = hits([[(4, 0.9), (2, 0.5), (3, 0.5)]], k=3, origin=Origin.CHAR, shift=0)
    assert listed(fuse_scores([made], weights=[1], k=3), 0) == [4, 2, 3]
    assert listed(cascade([made], k=2), 0) == [4, 2]


def test_inputs_are_not_changed() -> None:
    made = [
        hits([[(4, 0.1), (2, 0.05)]], k=2, origin=Origin.EXACT, shift=0),
        hits([[(2, 0.9)]], k=2, origin=Origin.CHAR, shift=1),
    ]
    before = [ranking.scores.copy() for ranking in made]
    for combined in (cascade(made, k=1), fuse_scores(made, weights=[1, 1], k=2)):
        combined.scores[:] = 7
    assert all((ranking.scores == old).all() for ranking, old in zip(made, before, strict=True))


def test_requests_that_make_no_sense_are_refused() -> None:
    made = Hits.empty(1, 1)
    with pytest.raises(RequestError, match="No ranking"):
        cascade([], k=1)
    with pytest.raises(RequestError, match="2 weights for 1"):
        fuse_scores([made], weights=[1, 2], k=1)
    with pytest.raises(RequestError, match="No ranking"):
        fuse_scores([], weights=[], k=1)
