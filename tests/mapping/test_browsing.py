"""Lists of rows are sorted and filtered by what the log comes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.mapping.conftest import BREAST, GOUT

from linnet.mapping import Mapping
from linnet.mapping.browsing import Filter, Listing, Order
from linnet.mapping.decisions import Status


def texts(mapping: Mapping, **options: object) -> list[str]:
    return [row.text for row in Listing(mapping).page(**options).rows]  # type: ignore[arg-type]


def test_the_most_urgent_comes_first(mapping: Mapping) -> None:
    rows = Listing(mapping).page().rows
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
    found = Listing(mapping).page(limit=1)
    assert (found.total, found.records) == (5, 204)


@pytest.mark.parametrize("text", ["BREAST", "a5", "%", "_", "\\\\"])
def test_a_part_of_the_string_or_the_code_is_found(mapping: Mapping, text: str) -> None:
    expected = {"BREAST": 2, "a5": 1}.get(text, 0)
    assert Listing(mapping).page(filter=Filter(text=text)).total == expected


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
        found, report = Listing(mapping).progress(), mapping.report()
        assert found.mapped == (report.strings["mapped"], report.records["mapped"])
        assert sum(found.strings.values()) == report.strings.total()
        assert found.strings == {"approved": 3, "unchecked": 2}


def test_states_are_what_the_log_comes_to(mapping: Mapping) -> None:
    mapping.decide(1, GOUT, by="ann")
    mapping.decide(1, GOUT, by="bob")
    mapping.decide(5, (), status="ignored", by="ann")
    mapping.undo(5)
    for row in mapping:
        [[status, who, second, disagrees]] = mapping.store.tables.select(
            "SELECT status, who, second, disagrees FROM states WHERE row = ?", [row.number]
        )
        made = row.state.decision
        assert (status, who) == (row.status, made.by if made else "")
        assert (second, bool(disagrees)) == (row.state.second, row.state.disagrees)


def test_a_listing_sees_what_is_decided_here_and_in_another_process(mapping: Mapping) -> None:
    listing = Listing(mapping)
    assert listing.page().next == 0
    mapping.decide(1, GOUT, by="ann")
    assert [row.number for row in listing.page(filter=Filter(by="ann")).rows] == [1]
    other = Mapping.open(mapping.path)
    other.decide(2, BREAST, by="bob")
    assert [row.number for row in listing.page(filter=Filter(by="bob")).rows] == [2]
    assert listing.progress().strings["approved"] == 2
    assert listing.entries([1, 2, 3]) == [1, 2, 0]
    other.close()


def test_a_list_that_somebody_works_through_keeps_its_places(mapping: Mapping) -> None:
    listing = Listing(mapping)
    unchecked = Filter(status=Status.UNCHECKED)
    before = listing.page(filter=unchecked)
    for row in before.rows[:2]:
        mapping.decide(row.number, GOUT, by="ann")
    kept = listing.page(filter=replace(unchecked, since=before.entry))
    assert [row.number for row in kept.rows] == [row.number for row in before.rows]
    assert kept.next == 2
    assert listing.page(filter=unchecked).total == before.total - 2


def test_only_rows_with_these_numbers(mapping: Mapping) -> None:
    assert [
        row.number for row in Listing(mapping).page(order=Order.NUMBER, filter=Filter(numbers=[3, 1])).rows
    ] == [1, 3]
    assert Listing(mapping).numbers(Filter(numbers=[5, 99])) == [5]


def test_nothing_is_left_when_all_is_decided(mapping: Mapping) -> None:
    listing = Listing(mapping)
    mapping.approve(range(1, 6), by="ann")
    assert listing.page().next is None
    assert listing.page(offset=5).rows == []
