"""The plan by which a table is read, in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from linnet.cli import app
from linnet.errors import DataError
from linnet.terminology.build import explain_sources
from linnet.terminology.readers import ReadOptions

BIRDS = "curie\tname\tnicknames\tsynonyms\nX:1\tLinnet\t\tred one|brown one\nX:2\tSiskin\t\tNA\nX:3\tSerin\t\tNA\n"


def explained(path: Path, **options: object) -> list[str]:
    return list(explain_sources([path], options=ReadOptions(**options)))  # type: ignore[arg-type]


def test_a_plan_says_what_is_read_as_what_and_why(tmp_path: Path) -> None:
    file = tmp_path / "birds.tsv"
    file.write_text(BIRDS)
    assert explained(file) == [
        f"{file}: table (its content shows it)",
        "  cells: separated by tabs (a tab, if the line has one, else what it has more of)",
        "  header: line 1 (columns are not chosen by number)",
        "  id: curie (the usual name)",
        "  name: name (the usual name)",
        "  synonyms: synonyms (the usual name)",
        "  several values: synonyms at '|' (the first 2,000 rows have it)",
        "  empty: 'NA' in synonyms (twice or more in the first 2,000 rows)",
        "  empty: NULL, NaN, N/A and what databases and spreadsheets write alike, in all columns",
        "  not read: nicknames (no usual name of a role)",
    ]


def test_what_was_asked_for_is_said_to_be_so(tmp_path: Path) -> None:
    file = tmp_path / "birds.txt"
    file.write_text("X:1/Linnet/a b\n")
    assert explained(file, columns={"id": 1, "name": 2, "synonyms": 3}, delimiter="/", separator=" ") == [
        f"{file}: table (its columns are named)",
        "  cells: separated by '/' (as asked for)",
        "  header: none (columns are chosen by number)",
        "  id: column 1 (as asked for)",
        "  name: column 2 (as asked for)",
        "  synonyms: column 3 (as asked for)",
        "  several values: column 3 at ' ' (as asked for)",
        "  empty: NULL, NaN, N/A and what databases and spreadsheets write alike, in all columns",
    ]


def test_other_formats_are_named_and_unclear_tables_refused(tmp_path: Path) -> None:
    file = tmp_path / "birds.obo"
    file.write_text("format-version: 1.2\n\n[Term]\nid: X:1\nname: Linnet\n")
    assert explained(file) == [f"{file}: obo (its content shows it)"]
    file.write_text("id,name,label\nX:1,a,b\n")
    with pytest.raises(DataError, match="could both hold the preferred names"):
        explained(file)


def test_the_command_prints_the_plan_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "birds.tsv").write_text(BIRDS)
    done = CliRunner().invoke(
        app, ["terminology", "build", str(tmp_path / "birds.tsv"), "-o", str(tmp_path / "out"), "--explain"]
    )
    assert done.exit_code == 0
    assert "synonyms: synonyms (the usual name)" in done.stdout
    assert [file.name for file in tmp_path.iterdir()] == ["birds.tsv"]
