"""Concepts are looked up in all terminologies of the mapping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.annotate.review.conftest import Page
from tests.mapping.conftest import BREAST, COLUMNS, GOUT, OVARY, TABLE, written

from linnet.annotate.domain.mappings.open_mapping import OpenMapping
from linnet.link.linker_config import LinkerConfig
from linnet.mapping import Mapping
from linnet.types import Concept


def test_concepts_are_found_by_name_and_id(page: Any) -> None:
    assert page.read("/concepts", q="ovarian")["concepts"][0]["id"] == OVARY
    assert [found["id"] for found in page.read("/concepts", q=BREAST)["concepts"]] == [BREAST]
    assert page.read("/concepts", q="  ")["concepts"] == []


def test_the_details_of_a_concept(page: Any) -> None:
    found = page.read("/concept", id=GOUT)
    assert (found["name"], found["names"], found["types"]) == ("Gout", ["podagra"], ["Condition"])
    assert page.read("/concept/children")["total"] == 3
    answer = page.get("/api/mapping/concept", params={"id": "OMOP:1"})
    assert (answer.status_code, "no terminology" in answer.json()["message"].lower()) == (404, True)


def test_of_two_terminologies_both_are_searched(omop: Path, tmp_path: Path) -> None:
    more = written(
        tmp_path / "more", [Concept("X:1", "Tophus", ("gouty node",)), Concept("X:2", "Gout attack")]
    )
    (tmp_path / "codes.csv").write_text(TABLE, encoding="utf-8")
    config = LinkerConfig.of([omop, more], {"threads": 1})
    mapping = Mapping.new(tmp_path / "codes.csv", tmp_path / "two.map", config, columns=COLUMNS)
    page = Page(OpenMapping.folder(mapping.path))
    assert {found["id"] for found in page.read("/concepts", q="gout")["concepts"]} >= {GOUT, "X:2"}
    assert page.read("/concept", id="X:1")["name"] == "Tophus"
    assert page.decide(1, "X:2")["targets"] == [{"concept": "X:2", "name": "Gout attack"}]
