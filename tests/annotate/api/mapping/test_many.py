"""Many rows are approved at once, after a sample of them was checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.annotate.review.conftest import Page
from tests.mapping.conftest import COLUMNS, GOUT, OVARY

from linnet.annotate.domain.mappings.open_mapping import OpenMapping
from linnet.mapping import Mapping

TABLE = "code,label,n,ward\n" + "".join(f"P{n},podagra,{n},w{n}\n" for n in range(1, 41)) + "X,zzzz,9,w1\n"


def test_a_sample_is_drawn_and_the_rest_approved(make: Callable[..., Mapping]) -> None:
    mapping = make(TABLE, COLUMNS, place="many.map")
    page = Page(OpenMapping.folder(mapping.path))
    sample = page.read("/sample", above=0.5)
    assert (len(sample["numbers"]), sample["total"], sample["records"]) == (20, 40, 820)
    assert page.read("/sample", above=0.5) == sample
    first, second, third, *rest = sample["numbers"]
    page.decide(first, OVARY)
    page.decide(second, GOUT, status="flagged")
    page.decide(third)
    for number in rest:
        page.decide(number, GOUT)
    assert page.read("/sample", above=0.5)["total"] == 20
    checked = page.read("/checked", number=sample["numbers"])
    assert (checked["checked"], checked["right"]) == (20, 17)
    assert 0.63 < checked["low"] < 0.65
    assert 0.94 < checked["high"] < 0.96

    approved = page.change("/approve", above=0.5, by="ann")
    assert approved["rows"] == 20
    assert approved["progress"]["strings"] == {"unchecked": 1, "approved": 39, "flagged": 1}
    assert mapping[first].targets[0].concept == OVARY
    assert mapping[second].status == "flagged"
    assert mapping[third].targets == ()
    assert page.change("/approve", above=0.5)["rows"] == 0


def test_what_nobody_has_checked_implies_nothing(page: Any) -> None:
    assert page.read("/checked", number=[1, 2]) == {"checked": 0, "right": 0, "low": 0.0, "high": 1.0}
    assert page.read("/sample", above=1)["numbers"] == []


def test_what_was_approved_so_is_taken_back_but_for_what_somebody_has_decided_since(page: Page) -> None:
    approved = page.change("/approve", above=0.0, by="ann")
    assert approved["rows"] >= 2
    page.decide(1, by="bob")
    undone = page.change("/approve/undo", after=approved["after"], until=approved["until"], by="ann")
    assert undone["rows"] == approved["rows"] - 1
    assert {row["by"] for row in page.read("/rows")["rows"]} == {"", "bob"}
    assert (
        page.change("/approve/undo", after=approved["after"], until=approved["until"], by="ann")["rows"] == 0
    )
