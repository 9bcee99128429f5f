"""Rows are listed and decided; each decision is in the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.annotate.review.conftest import Page
from tests.mapping.conftest import BREAST, GOUT, OVARY

from linnet.annotate.domain.mappings.open_mapping import OpenMapping
from linnet.mapping import Mapping


def test_the_summary_says_how_far_the_mapping_is(page: Any) -> None:
    found = page.read("")
    assert (found["name"], found["context"], found["four_eyes"]) == ("codes.map", ["ward"], False)
    assert found["progress"]["strings"] == {"unchecked": 5}
    page.decide(1, GOUT)
    progress = page.read("")["progress"]
    assert (progress["mapped_strings"], progress["mapped_records"]) == (1, 127)


def test_pages_of_rows_follow_each_other(page: Any) -> None:
    whole = page.read("/rows")
    assert (whole["total"], whole["records"], whole["next"]) == (5, 204, 0)
    parts = [page.read("/rows", offset=start, limit=2)["rows"] for start in (0, 2, 4)]
    assert [row for part in parts for row in part] == whole["rows"]
    assert [row["text"] for row in page.read("/rows", order="text")["rows"]][:2] == [
        "Podagra",
        "breast cancer",
    ]
    assert [row["number"] for row in page.read("/rows", number=[2, 4], order="number")["rows"]] == [2, 4]


def test_a_row_has_what_the_page_shows_of_it(page: Any) -> None:
    [row] = page.read("/rows", text="a6")["rows"]
    assert (row["text"], row["context"], row["codes"], row["frequency"]) == (
        "podagra",
        ["medicine"],
        ["A1", "A6"],
        127,
    )
    assert row["targets"] == [{"concept": GOUT, "name": "Gout"}]
    assert row["candidates"][0] == {"id": GOUT, "found": "podagra", "usual": "equivalent"}
    assert row["usual"] == "equivalent"
    found = page.read(f"/rows/{row['number']}")
    assert (found["found"][0]["name"], found["found"][0]["types"], found["history"]) == (
        "Gout",
        ["Condition"],
        [],
    )


def test_a_list_keeps_its_places_while_somebody_works_through_it(page: Any) -> None:
    before = page.read("/rows", status="unchecked")
    page.decide(before["rows"][0]["number"], GOUT)
    after = page.read("/rows", status="unchecked", since=before["since"])
    assert [row["number"] for row in after["rows"]] == [row["number"] for row in before["rows"]]
    assert (after["next"], after["since"]) == (1, before["since"])
    assert page.read("/rows", status="unchecked")["total"] == 4


def test_a_decision_is_saved_with_who_made_it_and_how(page: Any, mapping: Mapping) -> None:
    row = page.decide(1, OVARY, equivalence="broader", comment="see ward", by="ann")
    assert (row["status"], row["equivalence"], row["by"], row["mapped"]) == (
        "approved",
        "broader",
        "ann",
        True,
    )
    [entry] = mapping.history(1)
    assert (entry.targets[0].name, entry.comment, entry.by) == ("Ovarian Neoplasms", "see ward", "ann")
    assert page.decide(4, status="ignored")["status"] == "ignored"
    assert page.decide(2, BREAST, status="flagged")["done"] is True
    assert page.read("/rows", by="ann")["total"] == 1


def test_no_concept_is_a_decision(page: Any) -> None:
    row = page.decide(3)
    assert (row["status"], row["equivalence"], row["targets"], row["mapped"]) == (
        "approved",
        "unmatched",
        [],
        False,
    )


def test_undo_takes_back_the_decision_that_the_page_has_seen(page: Any, mapping: Mapping) -> None:
    page.decide(1, OVARY, by="ann")
    entry = page.decide(1, GOUT, by="ann")["entry"]
    undone = page.change("/rows/1/undo", entry=entry, by="ann")
    assert undone["row"]["targets"][0]["concept"] == OVARY
    again = page.change("/rows/1/undo", entry=entry, by="ann")  # sent again, as its answer was lost
    assert again["row"]["targets"] == undone["row"]["targets"]
    assert [entry.event for entry in mapping.history(1)] == ["decided", "decided", "undone"]


def test_undo_leaves_what_somebody_else_has_decided_since(page: Any, open_page: Callable[[], Any]) -> None:
    entry = page.decide(1, GOUT, by="ann")["entry"]
    open_page().decide(1, OVARY, by="bob")
    answer = page.post("/api/mapping/rows/1/undo", json={"entry": entry})
    assert answer.status_code == 409
    assert "bob has decided this row since" in answer.json()["message"]
    assert page.read("/rows/1")["by"] == "bob"


def test_of_two_pages_the_last_decision_counts_and_both_are_in_the_log(
    page: Any, open_page: Callable[[], Any]
) -> None:
    other = open_page()
    assert page.read("/rows")["rows"] == other.read("/rows")["rows"]
    page.decide(1, GOUT, by="ann")
    row = other.decide(1, OVARY, by="bob")
    assert (row["disagrees"], row["done"]) == (True, False)
    seen = page.read("/rows/1")
    assert [target["concept"] for target in seen["targets"]] == [OVARY]
    assert [(entry["by"], entry["targets"][0]["concept"]) for entry in seen["history"]] == [
        ("bob", OVARY),
        ("ann", GOUT),
    ]
    assert [row["number"] for row in page.read("/rows", attention=True)["rows"]] == [1]


def test_what_cannot_be_is_refused_with_a_reason(page: Any, mapping: Mapping) -> None:
    decision = "/api/mapping/rows/1/decision"
    for path, body, status, message in (
        (decision, {"concepts": ["OMOP:1"]}, 422, "No terminology"),
        (decision, {"concepts": [GOUT, GOUT]}, 422, "named twice"),
        (decision, {"concepts": [GOUT], "equivalence": "unmatched"}, 422, "has a concept"),
        (decision, {"concepts": [GOUT], "status": "fine"}, 422, "status"),
        (decision, {"concept": GOUT}, 422, "concept"),
        ("/api/mapping/rows/99/decision", {"concepts": []}, 404, "no row 99"),
        ("/api/mapping/rows/1/undo", {"entry": 7}, 422, "Nothing was decided"),
    ):
        answer = page.post(path, json=body)
        assert (answer.status_code, message in answer.json()["message"]) == (status, True), answer.text
    assert mapping.history(1) == []


def test_a_string_waits_for_a_second_person_where_two_must_agree(make: Callable[..., Mapping]) -> None:
    page = Page(OpenMapping.folder(make(place="two.map", four_eyes=True).path))
    first = page.read("/rows")["rows"][0]
    row = page.decide(first["number"], GOUT, by="ann")
    assert (row["done"], row["mapped"], row["status"]) == (False, False, "approved")
    assert page.read("/rows", reviewer="ann")["next"] == 1
    assert page.read("/rows", reviewer="bob")["next"] == 0
    row = page.decide(first["number"], GOUT, by="bob")
    assert (row["done"], row["mapped"], row["second"]) == (True, True, "ann")
    assert page.read("/rows", reviewer="bob")["next"] == 1


def test_exports_are_downloads(page: Any) -> None:
    page.decide(1, GOUT)
    formats = page.read("")["formats"]
    assert formats["sssom"] == ".sssom.tsv"
    for format, ending in formats.items():
        if format in ("xlsx", "omop"):
            continue
        answer = page.get("/api/mapping/export", params={"format": format})
        assert answer.status_code == 200, answer.text
        assert f'filename="codes{ending}"' in answer.headers["content-disposition"]
    assert "podagra" in page.get("/api/mapping/export").text
    assert page.get("/api/mapping/export", params={"format": "docx"}).status_code == 422
