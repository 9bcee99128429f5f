"""Candidates of another kind than disease or substance."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from linnet.link.kind_order import own_kind_first
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


def test_the_best_candidate_of_the_kind_comes_first_and_is_as_sure_as_its_score() -> None:
    hits = _hits([0, 1, -1], [1.0, 0.5, -np.inf])
    ordered, sure = own_kind_first([_mention("Disease")], hits, group)
    assert ordered.concepts.tolist() == [[1, 0, -1]]
    assert np.allclose(ordered.scores[0, :2], [0.5, 0.03])
    assert sure == {0: 0.5}
    assert hits.concepts.tolist() == [[0, 1, -1]]


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
