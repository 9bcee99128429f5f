"""Columns of CSV, TSV and Parquet files."""

from __future__ import annotations

import csv
import datetime
import gzip
import zipfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.advised import advises

from linnet.advice import Step
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
    with pytest.raises(RequestError, match=r"has no column 'name'\. Columns: no, disease"):
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
    with pytest.raises(RequestError, match="only tables have columns"):
        read(file(tmp_path, "gout", "a.txt"), format="text", column="x")


def test_a_column_of_concepts_is_the_mentions(tmp_path: Path):
    documents = list(read(file(tmp_path, "name,concepts\ngout,D000001|OMIM:100100\nAT,\n")))
    assert [d.mentions[0].concepts for d in documents] == [("MESH:D000001", "OMIM:100100"), ()]


def test_a_column_of_concepts_is_gold_with_several_ids_and_nil(tmp_path: Path):
    path = tmp_path / "phrases.tsv"
    path.write_text(
        "phrase\tcode\tname\nsore throat\tSCTID:1\tSore throat\nache\t-1\t\nboth\tmesh:D000001; D000002\t\nlost\t7\t\n"
    )
    documents = [*read(path, concept_column="code", annotated=True)]
    assert [(d.text, d.mentions[0].concepts) for d in documents] == [
        ("sore throat", ("SNOMEDCT:1",)),
        ("ache", ()),
        ("both", ("MESH:D000001", "MESH:D000002")),
        ("lost", ("7",)),
    ]
    prefixed = [*read(path, concept_column="code", concept_prefix="meddra")]
    assert prefixed[-1].mentions[0].concepts == ("MEDDRA:7",)


def test_the_column_concept_is_found_by_its_name_and_name_is_the_concepts(tmp_path: Path):
    path = tmp_path / "phrases.csv"
    path.write_text("name,concept,phrase\nInfluenza,MESH:D000001,the flu\n")
    (document,) = read(path, annotated=True)
    assert (document.text, document.mentions[0].concepts) == ("the flu", ("MESH:D000001",))
    path.write_text("text,concept,phrase\na,MESH:D000001,b\n")
    with pytest.raises(RequestError, match=r"which column holds the text\?"):
        list(read(path))
    with pytest.raises(RequestError, match=r"has no column 'cui'\. Columns: text, concept, phrase"):
        list(read(path, concept_column="cui"))


def test_numbers_of_a_parquet_column_are_ids_as_long_as_they_are_exact(tmp_path: Path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["a", "b"], "concept": [7.0, None]}), path)
    assert [d.mentions[0].concepts for d in read(path, concept_prefix="MEDDRA")] == [
        ("MEDDRA:7",),
        (),
    ]
    pq.write_table(pa.table({"text": ["a"], "concept": [2.0**60]}), path)
    with pytest.raises(DataError, match=r"row 1: .* floating-point number"):
        list(read(path))


def test_columns_of_what_is_no_table_are_refused_by_name(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("1|t|Gout\n1|a|\n1\t0\t4\tGout\tDisease\tD1\n")
    with pytest.raises(DataError, match=r"read as 'pubtator', which has no columns\. Name no column"):
        read(path, concept_column="x")


def workbook(path: Path, **sheets: list[tuple[object, ...]]) -> Path:
    openpyxl = pytest.importorskip("openpyxl", reason="needs the xlsx extra")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_is_read_as_csv_is(tmp_path: Path):
    rows = [("no", "disease"), (7.0, " gout, acute"), (7, None), (8, "two\nlines")]
    book = workbook(tmp_path / "some.xlsx", A=rows)
    assert detect(book) == "table"
    found = list(read(book, column="disease", id_column="no"))
    assert [(d.id, [m.text for m in d.mentions]) for d in found] == [
        ("7", ["gout, acute"]), ("7", []), ("8", ["two\nlines"])
    ]  # fmt: skip
    assert found[0].extra["table"]["row"] == {"no": "7", "disease": "gout, acute"}


def test_of_a_workbook_with_several_sheets_one_is_named(tmp_path: Path):
    book = workbook(tmp_path / "some.xlsx", A=[("name",), ("gout",)], B=[("name",), ("mumps",)])
    with pytest.raises(RequestError, match=r"has several sheets: A, B\.", check=advises(Step.NAME_SHEET)):
        list(read(book))
    assert [d.text for d in read(book, sheet="B")] == ["mumps"]
    with pytest.raises(RequestError, match="is not a workbook"):
        list(read(file(tmp_path, ROWS), column="disease", sheet="B"))


def test_a_date_where_a_name_was_expected_is_refused_alone(tmp_path: Path):
    book = workbook(tmp_path / "a.xlsx", A=[("name",), (datetime.date(2099, 3, 1),), ("gout",)])
    refused: list[DataError] = []
    assert [d.text for d in read(book, on_error="skip", report=refused.append)] == ["gout"]
    assert refused[0].line == 2
    assert "got an Excel date (2099-03-01)" in str(refused[0])


@pytest.mark.parametrize("ending", ["gz", "zip"])
def test_packed_tables_are_told_by_the_name_inside(tmp_path: Path, ending: str):
    plain = file(tmp_path, "x;name\n1;gout\n", "a.csv")
    packed = tmp_path / f"a.csv.{ending}"
    if ending == "gz":
        packed.write_bytes(gzip.compress(plain.read_bytes()))
    else:
        packed = tmp_path / "download.zip"
        with zipfile.ZipFile(packed, "w") as target:
            target.write(plain, "a.csv")
    assert detect(packed) == "table"
    assert [d.text for d in read(packed)] == ["gout"]


def test_a_packed_parquet_file_is_read(tmp_path: Path):
    pq.write_table(pa.table({"name": ["gout", "mumps"]}), tmp_path / "a.parquet")
    packed = tmp_path / "a.parquet.gz"
    packed.write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    assert detect(packed) == "table"
    assert [d.text for d in read(packed)] == ["gout", "mumps"]


@pytest.mark.parametrize(
    "value", [b"gout", 5, 1.5, True, datetime.date(2026, 3, 1), datetime.datetime(2026, 3, 1, 12)]
)
def test_a_parquet_column_of_something_else_than_text_is_refused(tmp_path: Path, value: object):
    path = tmp_path / "some.parquet"
    pq.write_table(pa.table({"disease": [None, value]}), path)
    with pytest.raises(
        DataError,
        match=r"row 2 of the column 'disease' holds .*, which is not text. Convert the column to text",
    ):
        list(read(path, column="disease"))
    pq.write_table(pa.table({"disease": ["gout"], "nr": [value]}), path)
    assert len(list(read(path, column="disease", id_column="nr"))) == 1


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ('1,asthma\n2,"gout\n3,flu\n', "a quote is never closed"),
        ('1,asthma\n2,"gout\n3,flu\n4,"ataxia"\n', "not a table row"),
    ],
)
def test_a_quote_that_is_not_closed_is_refused_at_its_line_instead_of_swallowing_the_next_rows(
    tmp_path: Path, rows: str, problem: str
) -> None:
    path = tmp_path / "names.csv"
    path.write_text("id,name\n" + rows)
    with pytest.raises(DataError, match=rf"names\.csv:3: {problem}"):
        list(read(path, column="name"))
    refused: list[DataError] = []
    kept = list(read(path, column="name", on_error="skip", report=refused.append))
    assert [document.text for document in kept] == ["asthma"]
    assert len(refused) == 1


def test_between_tabs_a_quote_that_is_not_closed_is_a_character(tmp_path: Path) -> None:
    path = tmp_path / "names.tsv"
    path.write_text('id\tname\n1\tasthma\n2\t"gout\n3\tflu\n\t\n4\t"acute\tgout"\n')
    refused: list[DataError] = []
    kept = list(read(path, column="name", on_error="skip", report=refused.append))
    assert [document.text for document in kept] == ["asthma", '"gout', "flu", ""]
    assert [str(error) for error in refused] == [
        f"{path}:6: expected 2 cells as in the header, got 3. Put quotes around cells that hold the separator."
    ]


def test_quotes_of_inches_and_line_breaks_in_closed_quotes_are_part_of_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text('id,name\n1,5" wound\n2,"gout\nflu\n"\n')
    assert [document.text for document in read(path, column="name")] == ['5" wound', "gout\nflu\n"]
