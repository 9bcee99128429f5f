"""Spans are drawn alike from both systems, blind, and what is read of them is counted for whom they were drawn for."""

from __future__ import annotations

import pytest

from benchmarks.clinical.precision_sample import Found, draw, precision
from benchmarks.clinical.scoring import Annotation


def _found(concept: str, count: int) -> list[Found]:
    return [(f"n{n}", Annotation(n, n + 4, "gout", "Disease", frozenset({concept}))) for n in range(count)]


def test_each_system_gets_its_share_in_an_order_that_does_not_tell_it() -> None:
    found = {"default": _found("A", 50), "dictionary": _found("B", 40)}
    drawn = draw(found, count=20, seed=1)
    owners = [systems for _, systems in drawn]
    assert sorted(owners) == [("default",)] * 10 + [("dictionary",)] * 10
    assert owners != sorted(owners)
    assert drawn == draw(found, count=20, seed=1) != draw(found, count=20, seed=2)


def test_a_span_drawn_for_both_is_read_once() -> None:
    same = _found("A", 3)
    assert {systems for _, systems in draw({"default": same, "dictionary": same}, count=6, seed=1)} == {
        ("default", "dictionary")
    }


def test_what_was_read_is_counted_for_its_systems() -> None:
    keys = [{"nr": "1", "systems": "a|b"}, {"nr": "2", "systems": "a"}, {"nr": "3", "systems": "b"}]
    read = [{"nr": "1", "right": "1"}, {"nr": "2", "right": "0"}, {"nr": "3", "right": ""}]
    assert precision(read, keys) == {"a": (1, 2), "b": (1, 1)}
    with pytest.raises(ValueError, match="'right' is 'yes'"):
        precision([{"nr": "1", "right": "yes"}], keys)
