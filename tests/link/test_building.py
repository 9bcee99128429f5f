"""`linnet.build`: what the two commands make, in one call."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli import app
from linnet.errors import DataError, LinnetError, RequestError, StoreError, UnknownNameError
from linnet.link.building import BuildOptions

TABLE = """\
code,label,alias,kind
X:1,marsh fever,fever of the marsh,Disease
X:2,fen sickness,,Disease
X:3,bog herb,,Plant
"""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "t.csv"
    file.write_text(TABLE)
    return file


COLUMNS = {"id": "code", "name": "label", "synonyms": "alias", "types": "kind"}


def _files(terminology: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(terminology)): file.read_bytes()
        for file in sorted(terminology.rglob("*"))
        if file.is_file() and "dense" not in str(file)
    }


@pytest.mark.parametrize(
    ("options", "build", "index"),
    [
        ({"columns": COLUMNS, "concept_types": ["Disease"]}, ["--types", "Disease"], []),
        (
            {"columns": COLUMNS, "type": "Thing", "retrievers": ["exact", "char"], "glossary": False},
            ["--type", "Thing"],
            ["--retriever", "exact,char", "--no-glossary"],
        ),
        ({"columns": COLUMNS, "dense": "ivf"}, [], ["--dense", "ivf"]),
    ],
)
def test_the_terminology_is_the_one_that_the_commands_make(
    table: Path, options: BuildOptions, build: list[str], index: list[str]
) -> None:
    built = linnet.build(table, "one", threads=1, **options)
    columns = ["--columns", *(f"{role}={column}" for role, column in COLUMNS.items())]
    for args in (
        ["terminology", "build", "t.csv", "-o", "two", *columns, *build],
        ["index", "two", "--threads", "1", *index],
    ):
        done = CliRunner().invoke(app, args)
        assert done.exit_code == 0, done.stderr
    assert _files(Path("one")) == _files(Path("two"))
    assert built.digest == linnet.open_terminology("two").digest
    assert built.manifest == linnet.open_terminology("one").manifest
    assert linnet.load("one", threads=1).link(["fever of the marsh"])[0].concept == "X:1"


def test_one_source_or_several_may_be_given(table: Path) -> None:
    (table.parent / "more.csv").write_text("id,name\nX:4,peat cough\n")
    table.write_text("id,name\nX:1,marsh fever\n")
    both = linnet.build([str(table), Path("more.csv")], Path("both"), retrievers=["exact"], threads=1)
    assert "X:1" in both
    assert "X:4" in both


def test_a_terminology_is_replaced_only_on_demand(table: Path) -> None:
    options: Any = {"columns": COLUMNS, "retrievers": ["exact"], "threads": 1}
    linnet.build(table, "t", **options)
    Path("t/overrides.tsv").write_text("fen sickness\tX:1\tforce\n")
    with pytest.raises(StoreError, match=r"t is a terminology already.*overwrite=True"):
        linnet.build(table, "t", **options)
    linnet.build(table, "t", overwrite=True, concept_types=["Disease"], **options)
    assert linnet.load("t", threads=1).link(["fen sickness"])[0].concept == "X:1"
    assert len(linnet.open_terminology("t")) == 2


def test_skipped_rows_are_counted(table: Path, caplog: pytest.LogCaptureFixture) -> None:
    Path("bad.csv").write_text("id,name\nX:1,gout\nX:2\nX:3,asthma\n")
    with pytest.raises(DataError, match=r"bad\.csv:3"):
        linnet.build("bad.csv", "t")
    assert not Path("t").exists()
    with caplog.at_level(logging.WARNING, logger="linnet.terminology"):
        linnet.build("bad.csv", "t", on_error="skip", retrievers=["exact"], threads=1)
    assert "Skipped 1 malformed row; the first: bad.csv:3" in caplog.text


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"retrievers": ["exat"]}, UnknownNameError, "Did you mean 'exact'"),
        ({"retrievers": "exact"}, RequestError, r"'retrievers' must be a list.*\['exact'\]"),
        ({"retrievers": []}, RequestError, "No index is named"),
        ({"retrievers": ["exact"], "encoder": "ngram"}, RequestError, "An encoder is for the dense index"),
        ({"encoder": "ngrm"}, UnknownNameError, "Did you mean 'ngram'"),
        ({"dense": "hsnw"}, UnknownNameError, "Did you mean 'hnsw'"),
        ({"format": "csv"}, UnknownNameError, "table"),
        ({"concept_types": "Disease"}, RequestError, r"'concept_types' must be a list.*\['Disease'\]"),
        ({"types": ["Disease"]}, UnknownNameError, "concept_types"),
        ({"retriever": ["exact"]}, UnknownNameError, "Did you mean 'retrievers'"),
        ({"scopes": ["near"]}, RequestError, "Unknown synonym scope 'near'"),
        ({"on_error": "ignore"}, RequestError, "'stop' or 'skip'"),
        ({"trees": ["C"]}, RequestError, "trees"),
    ],
)
def test_what_cannot_be_honoured_is_refused_before_anything_is_written(
    table: Path, options: Any, error: type[LinnetError], message: str
) -> None:
    table.write_text("id,name\nX:1,gout\n")
    with pytest.raises(error, match=message):
        linnet.build(table, "t", **options)
    assert not Path("t").exists()


@pytest.mark.parametrize(
    ("sources", "message"), [([], "No source"), (["absent.csv"], "absent.csv"), ("absent.csv", "absent.csv")]
)
def test_missing_sources_are_refused(table: Path, sources: Any, message: str) -> None:
    with pytest.raises(LinnetError, match=message):
        linnet.build(sources, "t")
    assert not Path("t").exists()


def test_a_folder_of_something_else_is_left_alone(table: Path) -> None:
    Path("notes").mkdir()
    Path("notes/mine.txt").write_text("x")
    with pytest.raises(StoreError, match="not a terminology"):
        linnet.build(table, "notes", columns=COLUMNS)
    assert [file.name for file in Path("notes").iterdir()] == ["mine.txt"]


def test_what_the_pipeline_searches_is_in_the_manifest(table: Path) -> None:
    linnet.build(table, "t", columns=COLUMNS, retrievers=["exact", "char"], threads=1)
    manifest = json.loads(Path("t/terminology.json").read_text())
    assert manifest["pipeline"] == {"retrievers": ["exact", "char"]}


def test_errors_and_notices_advise_keywords_not_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd.csv").write_text("foo,bar\n1,gout\n2,asthma\n")
    Path("t.csv").write_text("id,name\n1,gout\n2,asthma\n")
    with pytest.raises(DataError, match=r"format='table', columns=\{'id': 'COLUMN', 'name': 'COLUMN'\}"):
        linnet.build("odd.csv", "out")
    with pytest.raises(RequestError, match=r"Add that: retrievers=\['exact', 'dense'\]"):
        linnet.build("t.csv", "out", retrievers=["exact"], encoder="ngram")
    with caplog.at_level(logging.WARNING, "linnet.terminology"):
        linnet.build("t.csv", "out", retrievers=["exact"], threads=1)
    assert "If that is wrong: linnet.build(SOURCES, DIR, prefix='NAME')" in caplog.text
    assert "--" not in caplog.text
