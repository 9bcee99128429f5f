"""Lists in messages."""

from __future__ import annotations

from collections import Counter

import pytest

from linnet.listing import first_few, tally


@pytest.mark.parametrize(
    ("items", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c"], "a, b and 1 more"), (range(1500), "0, 1 and 1,498 more")],
)  # fmt: skip
def test_items_beyond_the_first_are_counted(items: list[str], text: str) -> None:
    assert first_few(items, 2) == text


def test_counts_come_with_the_largest_first() -> None:
    counts = Counter({"b": 2, "a": 3000, "c": 1})
    assert tally(counts) == "a (3,000), b (2), c (1)"
    assert tally(counts, 1) == "a (3,000)"
