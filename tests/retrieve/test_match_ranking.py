"""Flat matches become ranked hits, whatever the number of names and queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from linnet.retrieve.hits import Origin
from linnet.retrieve.match_ranking import rank_matches


class Repeated:
    """An array of any length that holds one value, and those given for some places."""

    def __init__(self, length: int, value: Any, others: dict[int, Any]) -> None:
        self._length, self._value, self._others = length, value, others

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, rows: Any) -> np.ndarray[Any, Any]:
        return np.array([self._others.get(int(row), self._value) for row in np.atleast_1d(rows)])


@dataclass
class Large:
    """What ranking asks a terminology."""

    names: Repeated
    name_concepts: Repeated
    preferred: Repeated
    path: str = "large"


@pytest.mark.parametrize("total", [1000, 1 << 25, (1 << 25) + 1, (1 << 31) - 1])
@pytest.mark.parametrize("count", [1, 3, 3000])
def test_the_highest_name_rows_keep_their_concepts(total: int, count: int) -> None:
    last = total - 1
    concepts = Repeated(total, 0, {last: 2, last - 1: 1, 5: 7})
    terminology = Large(Repeated(total, "", {}), concepts, Repeated(total, False, {last: True}))
    queries = np.repeat(np.arange(count), 3)
    names = np.tile(np.array([5, last - 1, last], np.int32), count)
    scores = np.tile(np.array([0.5, 0.9, 0.9], np.float32), count)
    hits = rank_matches(
        queries,
        names,
        scores,
        count=count,
        terminology=terminology,
        k=3,
        origin=Origin.DENSE,
        allowed=None,  # type: ignore[arg-type]
    )
    assert hits.concepts.tolist() == [[2, 1, 7]] * count
    assert hits.names.tolist() == [[last, last - 1, 5]] * count
    assert hits.scores[0].tolist() == pytest.approx([0.9, 0.9, 0.5])
