"""Candidates of another kind than disease or substance."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from linnet.link.kind_order import best_own, of_other_kinds, own_kind_first
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Mention
from linnet.words.semantic_groups import Group

GROUPS = {0: Group.ANATOMY, 1: Group.DISEASE, 2: Group.PROCESS, 3: Group.CHEMICAL}
group = cast(Any, SimpleNamespace(groups=lambda rows: np.array([int(GROUPS[row]) for row in rows], np.int64)))


def _hits(concepts: list[int], scores: list[float], origin: Origin = Origin.EXACT) -> Hits:
    row = np.array([concepts], np.int32)
    return Hits(row, row.copy(), np.array([scores], np.float32), np.full(row.shape, int(origin), np.uint16))


def _mention(type: str) -> Mention:
    mention = Mention.alone("palate")
    return Mention(mention.document, 0, 6, "palate", type)


def test_the_best_candidate_of_the_kind_comes_first_and_is_the_surer_the_better_it_is() -> None:
    hits = _hits([0, 1, -1], [1.0, 0.5, -np.inf])
    ordered, sure = own_kind_first([_mention("Disease")], hits, group)
    assert ordered.concepts.tolist() == [[1, 0, -1]]
    assert ordered.scores[0, 0] == 0.5
    assert 0 < ordered.scores[0, 1] < 0.2
    assert hits.concepts.tolist() == [[0, 1, -1]]
    _, better = own_kind_first([_mention("Disease")], _hits([0, 1, -1], [1.0, 0.9, -np.inf]), group)
    assert 0 < sure[0] < better[0] < 1


def test_a_name_of_another_kind_that_nothing_of_the_kind_is_like_is_not_given_up() -> None:
    """Blood urea nitrogen, annotated as a chemical, is a measurement."""
    scores = []
    for origin, own in ((Origin.EXACT, 0.01), (Origin.EXACT, 0.9), (Origin.DENSE, 0.01)):
        ordered, _ = own_kind_first([_mention("Chemical")], _hits([0, 3], [1.0, own], origin), group)
        scores.append(float(ordered.scores[0, ordered.concepts[0].tolist().index(0)]))
    assert scores[0] > 0.1 > scores[1] > 0
    assert scores[2] < 0.1


def test_candidates_of_another_kind_and_the_best_of_the_kind() -> None:
    hits = _hits([0, 2, 1, -1], [1.0, 0.8, 0.5, -np.inf])
    other = of_other_kinds([_mention("Disease")], hits, group)
    assert other.tolist() == [[True, False, False, False]]
    assert best_own(hits, other).tolist() == pytest.approx([0.8])
    alone = _hits([0], [1.0])
    assert best_own(alone, of_other_kinds([_mention("Disease")], alone, group)).tolist() == [0.0]
    assert not of_other_kinds([_mention("")], hits, group).any()


def test_the_order_stays_where_kinds_agree_are_unknown_or_a_person_decided() -> None:
    for type, concepts, origin in (
        ("Disease", [1, 3], Origin.EXACT),
        ("Disease", [2, 1], Origin.EXACT),
        ("Anatomy", [0, 1], Origin.EXACT),
        ("", [0, 1], Origin.EXACT),
        ("Disease", [0, 1], Origin.OVERRIDE),
    ):
        hits = _hits(concepts, [1.0, 0.5], origin)
        ordered, sure = own_kind_first([_mention(type)], hits, group)
        assert ordered.concepts.tolist() == [concepts]
        assert sure == {}


def test_no_mentions_and_no_candidates_are_left_as_they_are() -> None:
    assert own_kind_first([], Hits.empty(0, 3), group)[0].concepts.shape == (0, 3)
    assert own_kind_first([_mention("Disease")], Hits.empty(1, 3), group)[1] == {}
