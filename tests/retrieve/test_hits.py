"""Arrays of candidates: what is written where."""

from __future__ import annotations

import numpy as np

from linnet.retrieve.hits import Hits


def hits(*concepts: list[int]) -> Hits:
    rows = np.array(concepts, np.int32)
    return Hits(rows, rows + 10, -rows.astype(np.float32), np.ones(rows.shape, np.uint16))


def test_narrower_hits_replace_the_first_candidates_of_their_queries_alone() -> None:
    given = hits([1, 2, 3], [4, 5, 6], [7, 8, 9])
    given.put(np.array([2, 0]), hits([70, 80], [10, 20]))
    expected = hits([10, 20, 3], [4, 5, 6], [70, 80, 9])
    for name in ("concepts", "names", "scores", "origins"):
        assert np.array_equal(getattr(given, name), getattr(expected, name)), name
