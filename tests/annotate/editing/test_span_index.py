from __future__ import annotations

import random
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the annotate extra")

from linnet.annotate.editing.snapshot import overlap
from linnet.annotate.editing.span_index import SpanIndex


def _span(start: int, end: int) -> dict[str, Any]:
    return {"start": start, "end": end}


def test_spans_that_only_touch_a_place_do_not_overlap_it() -> None:
    spans = SpanIndex([_span(8, 12), _span(0, 4)])
    assert not spans.any(4, 8)
    assert spans.at(4, 8) == []
    assert spans.at(3, 9) == [1, 0]
    assert not SpanIndex([]).any(0, 9)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_found_is_what_comparing_every_pair_finds(seed: int) -> None:
    dice = random.Random(seed)
    spans = [_span(start := dice.randrange(300), start + 1 + dice.randrange(40)) for _ in range(80)]
    spans.append(_span(0, 340))  # one around all
    found = SpanIndex(spans[:80] if seed % 2 else spans)
    known = spans[:80] if seed % 2 else spans
    for _ in range(200):
        place = _span(start := dice.randrange(330), start + 1 + dice.randrange(20))
        expected = [index for index, span in enumerate(known) if overlap(span, place)]
        expected.sort(key=lambda index: known[index]["start"])
        assert found.at(place["start"], place["end"]) == expected
        assert found.any(place["start"], place["end"]) == bool(expected)
