"""Decisions come back as they went out; what was decided here is never overwritten; a bad file is refused with row and column."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from tests.mapping.conftest import BREAST, GOUT, OVARY

from linnet.errors import DataError, LinnetError, RequestError
from linnet.mapping import Mapping
from linnet.mapping.decisions import Equivalence, Event, Status
from linnet.mapping.imports.usagi import read_usagi

USAGI = """sourceCode,sourceName,sourceFrequency,ADD_INFO:ward,matchScore,mappingStatus,equivalence,statusSetBy,statusSetOn,\
conceptId,mappingType,comment
A1,podagra,120,medicine,0.9,APPROVED,WIDER,carol,1604480454317,440674,MAPS_TO,
A2,breast cancer,30,surgery,0.9,UNCHECKED,UNREVIEWED,,0,81251,MAPS_TO,
A4,n/a,40,medicine,0,IGNORED,UNREVIEWED,carol,1604480454317,0,MAPS_TO,
A5,"breast cancer, gout",2,surgery,0.9,APPROVED,NARROWER,carol,1604480454317,81251,MAPS_TO,see notes
A5,"breast cancer, gout",2,surgery,0.9,APPROVED,NARROWER,carol,1604480454317,440674,MAPS_TO_VALUE,see notes
"""


@pytest.mark.parametrize("file", ["out.csv", "out.tsv", "out.xlsx", "out.usagi.csv", "out.sssom.tsv"])
def test_decisions_come_back_as_they_went_out(
    make: Callable[..., Mapping], tmp_path: Path, file: str
) -> None:
    here = make()
    here.decide(1, GOUT, by="ann", equivalence="broader", comment="a sign")
    here.decide(4, (), by="ann")
    here.decide(5, [BREAST, GOUT], by="bob")
    here.export(tmp_path / file)
    there = make(place="there.map")
    result = there.take(tmp_path / file)
    assert (result.taken, result.conflicts, result.strange) == (3, [], [])
    for number in (1, 4, 5):
        old, new = here[number].state.decision, there[number].state.decision
        assert old is not None
        assert new is not None
        assert (new.targets, new.equivalence, new.status, new.by) == (
            old.targets,
            old.equivalence,
            old.status,
            old.by,
        )
        assert new.at[:10] == old.at[:10]
        assert new.event is Event.IMPORTED
    again = there.take(tmp_path / file)
    assert (again.taken, again.conflicts) == (0, [])
    assert again.same >= 3


def test_a_file_of_usagi_with_several_targets(mapping: Mapping, tmp_path: Path) -> None:
    (tmp_path / "u.csv").write_text(USAGI, encoding="utf-8")
    assert mapping.take(tmp_path / "u.csv").taken == 3
    assert mapping[2].status is Status.UNCHECKED
    assert mapping[4].status is Status.IGNORED
    both = mapping[5].state.decision
    assert both is not None
    assert [(target.concept, target.type) for target in both.targets] == [
        (BREAST, "MAPS_TO"),
        (GOUT, "MAPS_TO_VALUE"),
    ]
    assert (both.by, both.at, both.equivalence) == (
        "carol",
        "2020-11-04T09:00:54+00:00",
        Equivalence.NARROWER,
    )


@pytest.mark.data
@pytest.mark.skipif(not os.environ.get("LINNET_DATA"), reason="needs LINNET_DATA")
def test_a_real_file_of_an_older_usagi_is_read() -> None:
    [file] = (Path(os.environ["LINNET_DATA"]) / "real-files/usagi").glob("*.csv")
    found = list(read_usagi(file))
    assert {made.status for made in found} <= {
        Status.APPROVED,
        Status.FLAGGED,
        Status.IGNORED,
        Status.INVALID,
    }
    assert len({made.code for made in found}) == len(found) > 5
    assert any(type == "MAPS_TO_VALUE" for made in found for _, type in made.targets)


def test_conflicts_are_listed_and_nothing_is_overwritten(mapping: Mapping, tmp_path: Path) -> None:
    mapping.decide(1, BREAST, by="ann")
    (tmp_path / "u.csv").write_text(USAGI, encoding="utf-8")
    result = mapping.take(tmp_path / "u.csv")
    [conflict] = result.conflicts
    assert "u.csv:2" in conflict
    assert BREAST in conflict
    assert GOUT in conflict
    assert "ann" in conflict
    assert mapping[1].targets[0].concept == BREAST
    assert result.taken == 2


def test_two_decisions_of_one_file_for_the_same_row_conflict(mapping: Mapping, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"code,status,concepts\nA1,approved,{GOUT}\nA6,approved,{OVARY}\n")
    result = mapping.take(tmp_path / "t.csv", by="dan")
    assert (result.taken, len(result.conflicts)) == (1, 1)
    assert mapping[1].targets[0].concept == GOUT


def test_codes_and_concepts_that_are_not_here_are_listed(mapping: Mapping, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("code,status,concepts\nZ9,approved,OMOP:440674\nA1,approved,OMOP:5\n")
    result = mapping.take(tmp_path / "t.csv")
    assert result.taken == 0
    assert "Z9" in result.strange[0]
    assert "OMOP:5" in result.strange[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "code,status,concepts\nA1,approved,OMOP:440674\nA2,aproved,OMOP:81251\n",
            "t.csv:3, column 'status'",
        ),
        ("code,status,concepts\nA1,approved,gout\n", "row 1, column 'concepts': 'gout'"),
        ("code,status,concepts,equivalence\nA1,approved,OMOP:440674,same\n", "column 'equivalence'"),
        ("code,status,concepts,equivalence\nA1,approved,OMOP:440674,unmatched\n", "unmatched"),
        (USAGI.replace("440674", "gout"), "column 'conceptId'"),
        (USAGI.replace("IGNORED", "DONE"), "column 'mappingStatus'"),
        (USAGI.replace("1604480454317,0", "yesterday,0"), "column 'statusSetOn'"),
        ("subject_id\tpredicate_id\tobject_id\n", "mapping_justification"),
        (
            "subject_id\tpredicate_id\tobject_id\tmapping_justification\nsource:A1\tskos:likeMatch\tOMOP:440674\tsemapv:ManualMappingCuration\n",
            "predicate_id",
        ),
    ],
)
def test_a_bad_file_is_refused_with_its_place_and_nothing_is_taken(
    mapping: Mapping, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as refused:
        mapping.take(tmp_path / "t.csv")
    assert said in str(refused.value)
    assert mapping.store.log() == []


def test_a_table_of_something_else_is_refused(mapping: Mapping, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(RequestError, match="no decisions that linnet reads"):
        mapping.take(tmp_path / "t.csv")


def test_a_workbook_that_a_colleague_edited(mapping: Mapping, tmp_path: Path) -> None:
    mapping.export(tmp_path / "review.xlsx")
    book = load_workbook(tmp_path / "review.xlsx")
    sheet = book["mapping"]
    column = {cell.value: cell.column for cell in sheet[1]}
    for row in sheet.iter_rows(min_row=2):
        if row[column["code"] - 1].value == "A2":
            row[column["concepts"] - 1].value = OVARY
            row[column["status"] - 1].value = "approved"
            row[column["equivalence"] - 1].value = "inexact"
    book.save(tmp_path / "review.xlsx")
    assert mapping.take(tmp_path / "review.xlsx", by="A. Colleague").taken == 1
    made = mapping.find(code="A2")[0].state.decision
    assert made is not None
    assert (made.targets[0].concept, made.by, made.equivalence) == (
        OVARY,
        "A. Colleague",
        Equivalence.INEXACT,
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, len(USAGI)), put=st.text(max_size=3))
def test_a_damaged_file_is_taken_or_refused_with_a_message_of_linnet(
    mapping: Mapping, tmp_path: Path, cut: int, put: str
) -> None:
    (tmp_path / "u.csv").write_text(USAGI[:cut] + put + USAGI[cut + 1 :], encoding="utf-8")
    before = len(mapping.store.log())
    try:
        mapping.take(tmp_path / "u.csv")
    except LinnetError:
        assert len(mapping.store.log()) == before
