"""Lists of rows are sorted and filtered by what the log comes to."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.mapping.conftest import BREAST, GOUT

from linnet.mapping import Mapping
from linnet.mapping.browsing import Filter, Order, page, progress
from linnet.mapping.decisions import Status


def texts(mapping: Mapping, **options: object) -> list[str]:
    return [row.text for row in page(mapping, **options).rows]  # type: ignore[arg-type]


def test_the_most_urgent_comes_first(mapping: Mapping) -> None:
    rows = page(mapping).rows
    urgency = [row.frequency * row.doubt for row in rows]
    assert urgency == sorted(urgency, reverse=True)
    assert rows[0].text == "n/a"


def test_other_orders(mapping: Mapping) -> None:
    assert texts(mapping, order=Order.FREQUENCY)[:3] == ["podagra", "n/a", "breast cancer"]
    assert texts(mapping, order=Order.TEXT)[0] == "Podagra"
    assert texts(mapping, order=Order.DOUBT)[0] == "n/a"


def test_pages_follow_each_other(mapping: Mapping) -> None:
    whole = texts(mapping)
    assert texts(mapping, limit=2) + texts(mapping, limit=2, offset=2) + texts(mapping, offset=4) == whole
    found = page(mapping, limit=1)
    assert (found.total, found.records) == (5, 204)


@pytest.mark.parametrize("text", ["BREAST", "a5", "%", "_", "\\\\"])
def test_a_part_of_the_string_or_the_code_is_found(mapping: Mapping, text: str) -> None:
    expected = {"BREAST": 2, "a5": 1}.get(text, 0)
    assert page(mapping, filter=Filter(text=text)).total == expected


def test_by_status_person_and_attention(mapping: Mapping) -> None:
    mapping.decide(1, GOUT, by="ann")
    mapping.decide(2, BREAST, by="bob", status="flagged")
    mapping.decide(2, GOUT, by="ann", status="flagged")
    assert texts(mapping, filter=Filter(status=Status.APPROVED)) == ["podagra"]
    assert len(texts(mapping, filter=Filter(status=Status.UNCHECKED))) == 3
    assert set(texts(mapping, filter=Filter(by="ann"))) == {"podagra", "breast cancer"}
    assert texts(mapping, filter=Filter(attention=True)) == ["breast cancer"]
    assert texts(mapping, filter=Filter(above=0.5, status=Status.APPROVED)) == ["podagra"]
    mapping.undo(1)
    assert texts(mapping, filter=Filter(status=Status.APPROVED)) == []


def test_progress_counts_what_the_report_counts(make: Callable[..., Mapping]) -> None:
    for place, four_eyes in (("a", False), ("b", True)):
        mapping = make(place=place, four_eyes=four_eyes)
        mapping.decide(1, GOUT, by="ann")
        mapping.decide(2, BREAST, by="ann")
        mapping.decide(2, BREAST, by="bob")
        mapping.decide(4, (), by="ann")
        found, report = progress(mapping), mapping.report()
        assert found.mapped == (report.strings["mapped"], report.records["mapped"])
        assert sum(found.strings.values()) == report.strings.total()
        assert found.strings == {"approved": 3, "unchecked": 2}


def test_states_are_what_the_log_comes_to(mapping: Mapping) -> None:
    mapping.decide(1, GOUT, by="ann")
    mapping.decide(1, GOUT, by="bob")
    mapping.decide(5, (), status="ignored", by="ann")
    mapping.undo(5)
    for row in mapping:
        [[status, who, second, attention]] = mapping.store.select(
            "SELECT status, who, second, attention FROM rows WHERE number = ?", [row.number]
        )
        made = row.state.decision
        assert (status, who) == (row.status, made.by if made else "")
        assert (second, bool(attention)) == (row.state.second, row.state.disagrees)
