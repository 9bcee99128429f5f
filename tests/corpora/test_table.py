"""Columns of CSV, TSV and Parquet files."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from linnet.corpora import detect, read, write
from linnet.errors import DataError, RequestError
from linnet.types import Document

ROWS = 'no,disease\n7," gout, acute"\n7,\n8,"two\nlines"\n'


def file(tmp_path: Path, text: str, name: str = "some.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def test_each_row_is_a_document_that_is_one_mention(tmp_path: Path):
    documents = list(read(file(tmp_path, ROWS), column="disease"))
    assert [d.id for d in documents] == ["1", "2", "3"]
    assert [[m.text for m in d.mentions] for d in documents] == [["gout, acute"], [], ["two\nlines"]]
    assert documents[0].mentions[0].start == 1
    assert documents[0].extra["table"]["row"] == {"no": "7", "disease": " gout, acute"}


def test_ids_come_from_their_column_and_may_repeat(tmp_path: Path):
    documents = list(read(file(tmp_path, ROWS), column="disease", id_column="no"))
    assert [d.id for d in documents] == ["7", "7", "8"]
    assert documents[2].mentions[0].extra["id"] == "8"


@pytest.mark.parametrize(("name", "text"), [("a.tsv", "x\tname\n1\tgout\n"), ("a.csv", "x;name\n1;gout\n")])
def test_the_separator_is_told_from_the_header_and_a_usual_column_found(tmp_path: Path, name: str, text: str):
    path = file(tmp_path, text, name)
    assert detect(path) == "table"
    assert [d.text for d in read(path)] == ["gout"]


def test_columns_that_do_not_exist_or_are_not_named_are_refused_with_the_choices(tmp_path: Path):
    with pytest.raises(RequestError, match=r"no column 'name'\. There are: no, disease"):
        list(read(file(tmp_path, ROWS), column="name"))
    with pytest.raises(RequestError, match="no column 'id'"):
        list(read(file(tmp_path, ROWS), column="disease", id_column="id"))
    with pytest.raises(RequestError, match="which column"):
        list(read(file(tmp_path, ROWS)))


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a,b\n1,2\n1,2,3\n", 3, "expected 2 cells"),
        ("a,a\n1,2\n", 1, "'a' occurs twice"),
        ("\n1,2\n", 1, "no header"),
    ],
)
def test_malformed_rows_are_refused_with_the_line(tmp_path: Path, text: str, line: int, says: str):
    with pytest.raises(DataError, match=says) as caught:
        list(read(file(tmp_path, text), column="a"))
    assert caught.value.line == line


def test_a_malformed_row_is_skipped_and_the_rest_read(tmp_path: Path):
    path = tmp_path / "some.csv"
    path.write_bytes(b"a,b\n1,2,3\n\xe9,2\ngout,2\n")
    reported: list[DataError] = []
    assert [d.text for d in read(path, column="a", on_error="skip", report=reported.append)] == ["gout"]
    assert [error.line for error in reported] == [2, 3]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_rows_are_written_with_their_concepts_appended(tmp_path: Path, ending: str):
    found = []
    for document in read(file(tmp_path, ROWS), column="disease"):
        linked = [replace(m, concepts=("MESH:D000001", "OMIM:100100")) for m in document.mentions]
        found.append(document.with_mentions(linked))
    losses = write(found, tmp_path / f"out.{ending}", format="table")
    assert not losses
    back = [d.extra["table"]["row"] for d in read(tmp_path / f"out.{ending}", column="disease")]
    assert [row["disease"] for row in back] == [" gout, acute", "", "two\nlines"]
    assert [row["concepts"] for row in back] == ["MESH:D000001|OMIM:100100", "", "MESH:D000001|OMIM:100100"]


def test_mentions_of_running_text_are_rows_of_their_own(tmp_path: Path):
    document = next(
        read(file(tmp_path, '{"id": "9", "text": "gout", "mentions": [{"start": 0, "end": 4}]}', "a.jsonl"))
    )
    losses = write([document, Document("10", "none")], tmp_path / "out.csv", format="table")
    with (tmp_path / "out.csv").open(newline="") as stream:
        assert list(csv.reader(stream))[1:] == [["9", "0", "4", "gout", "", ""]]
    assert losses.counts["text outside mentions, in documents"] == 2


def test_a_damaged_parquet_file_is_refused(tmp_path: Path):
    path = tmp_path / "bad.parquet"
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(DataError, match="not a readable Parquet file"):
        list(read(path))


def test_only_tables_have_columns(tmp_path: Path):
    with pytest.raises(RequestError, match="only a table has columns"):
        read(file(tmp_path, "gout", "a.txt"), format="text", column="x")


def test_a_column_of_concepts_is_the_mentions(tmp_path: Path):
    documents = list(read(file(tmp_path, "name,concepts\ngout,D000001|OMIM:100100\nAT,\n")))
    assert [d.mentions[0].concepts for d in documents] == [("MESH:D000001", "OMIM:100100"), ()]
