from __future__ import annotations

import random

import pytest

from linnet.active.span_index import SpanIndex


def test_spans_that_only_touch_a_place_do_not_overlap_it() -> None:
    spans = SpanIndex([(8, 12), (0, 4)])
    assert not spans.any(4, 8)
    assert spans.at(4, 8) == []
    assert spans.at(3, 9) == [1, 0]
    assert not SpanIndex([]).any(0, 9)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_found_is_what_comparing_every_pair_finds(seed: int) -> None:
    dice = random.Random(seed)
    spans = [(start := dice.randrange(300), start + 1 + dice.randrange(40)) for _ in range(80)]
    spans.append((0, 340))  # one around all
    known = spans[:80] if seed % 2 else spans
    found = SpanIndex(known)
    for _ in range(200):
        start = dice.randrange(330)
        end = start + 1 + dice.randrange(20)
        overlapping = [index for index, span in enumerate(known) if span[0] < end and start < span[1]]
        overlapping.sort(key=lambda index: known[index][0])
        assert found.at(start, end) == overlapping
        assert found.any(start, end) == bool(overlapping)
