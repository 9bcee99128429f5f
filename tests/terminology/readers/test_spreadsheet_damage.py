"""Ids and names that a spreadsheet has changed are refused with their line, also where it wrote them as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, read
from linnet.terminology.readers.spreadsheet_damage import damage
from linnet.types import Concept


def table(folder: Path, text: str, **options: object) -> list[Concept]:
    file = folder / "a.csv"
    file.write_text(text, encoding="utf-8")
    return list(read(file, options=ReadOptions(**options)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("1-Mar,gout,", "the id '1-Mar' is a date"),
        ("1.23E+08,gout,", "the id '1.23E[+]08' is a number whose last digits are lost"),
        ("X:1,2-Sep,", "the name '2-Sep' is a date"),
        ("X:1,2026-03-01 00:00:00,", "the name '2026-03-01 00:00:00' is a date"),
        ("X:1,gout,podagra|1-Dec", "the name '1-Dec' is a date"),
    ],
)
def test_dates_and_shortened_numbers(tmp_path: Path, row: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem) as caught:
        table(tmp_path, f"id,name,synonyms\n{row}\n")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "text",
    [
        "Oct-4",
        "SEPT2",
        "MARCH1",
        "1,2-dichloroethane",
        "5-FU",
        "E10.2",
        "1E5",
        "250.0",
        "12-May fever",
        "3-Nov-2",
    ],
)
def test_names_and_codes_that_are_whole(text: str) -> None:
    assert damage(text) == ""


def test_ids_that_are_all_decimals_are_refused(tmp_path: Path) -> None:
    text = "id,name\n10.0,gout\n20.0,asthma\n30.0,flu\n"
    with pytest.raises(
        DataError, match=r"all 3 ids are whole numbers with '.0', e.g. '10.0': expected .* e.g. '10'"
    ):
        table(tmp_path, text, prefix="X")
    assert [concept.id for concept in table(tmp_path, text + "40.1,fever\n", prefix="X")][-1] == "X:40.1"


def test_ids_that_lost_their_zeros_are_counted(tmp_path: Path) -> None:
    file, told = tmp_path / "a.csv", list[str]()
    file.write_text("id,name\n1250,seizure\n365,hearing loss\n0000001,all\n", encoding="utf-8")
    list(read(file, options=ReadOptions(prefix="HP", notice=told.append)))
    (note,) = [note for note in told if "zeros" in note]
    assert "2 ids of HP have fewer than 7 digits (e.g. 'HP:1250')" in note
    assert "'HP:0001250'" in note
    told.clear()
    list(read(file, options=ReadOptions(prefix="X", notice=told.append)))
    assert not [note for note in told if "zeros" in note]
