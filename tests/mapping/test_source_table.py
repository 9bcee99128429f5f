"""Equal strings in one context become one row; what cannot be counted is refused with its row."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.errors import DataError, RequestError
from linnet.mapping.source_table import Columns, Strings, read_source


def write(folder: Path, text: str) -> Path:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return folder / "t.csv"


def test_equal_strings_are_one_row_with_all_their_codes(tmp_path: Path) -> None:
    table = read_source(
        write(tmp_path, "code,text,n\nA,gout,2\nB, gout\u00a0,3\nA,gout,4\n"),
        Columns(id="code", frequency="n"),
    )
    assert {strings: dict(codes) for strings, codes in table.codes.items()} == {
        Strings("gout"): {"A": 6, "B": 3}
    }


def test_context_tells_equal_strings_apart(tmp_path: Path) -> None:
    table = read_source(write(tmp_path, "text,ward\nCa,lab\nCa,oncology\n"), Columns(context=("ward",)))
    assert list(table.codes) == [Strings("Ca", ("lab",)), Strings("Ca", ("oncology",))]


def test_without_codes_and_frequencies_each_row_counts_once(tmp_path: Path) -> None:
    table = read_source(write(tmp_path, "text,x\ngout,1\ngout,2\n,3\n"), Columns())
    assert dict(table.codes[Strings("gout")]) == {"gout": 2}
    assert table.blank == 1


@pytest.mark.parametrize("cell", ["<5", "", "-1", "1.5", "1e3", "9" * 20])
def test_a_frequency_that_is_no_whole_number_is_refused_with_its_row(tmp_path: Path, cell: str) -> None:
    with pytest.raises(DataError, match="row 2: the column 'n'"):
        read_source(write(tmp_path, f"text,n\ngout,1\nfever,{cell}\n"), Columns(frequency="n"))


def test_a_missing_code_or_column_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "code,text\n,gout\n")
    with pytest.raises(DataError, match="row 1 has no code"):
        read_source(path, Columns(id="code"))
    with pytest.raises(RequestError, match="no column 'ward'"):
        read_source(path, Columns(context=("ward",)))
    with pytest.raises(DataError, match="no string to map"):
        read_source(write(tmp_path, "code,text\nA,\n"), Columns())
