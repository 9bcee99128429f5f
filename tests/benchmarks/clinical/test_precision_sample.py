"""Spans are drawn alike from both systems, blind, and what is read of them is counted for whom they were drawn for."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.clinical.precision_sample import Found, draw, found_by, precision, read_rows, write
from benchmarks.clinical.scoring import Annotation
from benchmarks.clinical.systems import LongestMatch
from linnet.terminology import write_terminology
from linnet.types import Concept, Document


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


def test_the_reader_sees_a_span_in_its_line_and_not_whose_it_is(tmp_path: Path) -> None:
    mesh = write_terminology([Concept("MESH:D000001", "Gout", (), ("Disease",))], tmp_path / "mesh")
    documents = [Document("n1", "PMH:\n gout, treated."), Document("n2", "Nothing.")]
    found = {"default": found_by(LongestMatch(mesh), documents)}
    write(tmp_path, draw(found, count=1, seed=0), {d.id: d.text for d in documents}, mesh)
    [row], [key] = read_rows(tmp_path)
    assert row == {
        "nr": "1", "note": "n1", "before": "PMH:", "span": "gout", "behind": ", treated.", "kind": "Disease",
        "concept": "MESH:D000001", "name": "Gout", "right": "",
    }  # fmt: skip
    assert key == {"nr": "1", "systems": "default"}
    assert precision([row | {"right": "1"}], [key]) == {"default": (1, 1)}


def test_what_was_read_is_counted_for_its_systems() -> None:
    keys = [{"nr": "1", "systems": "a|b"}, {"nr": "2", "systems": "a"}, {"nr": "3", "systems": "b"}]
    read = [{"nr": "1", "right": "1"}, {"nr": "2", "right": "0"}, {"nr": "3", "right": ""}]
    assert precision(read, keys) == {"a": (1, 2), "b": (1, 1)}
    with pytest.raises(ValueError, match="'right' is 'yes'"):
        precision([{"nr": "1", "right": "yes"}], keys)
