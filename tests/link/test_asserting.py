"""What the text says of mentions, in links, records and files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli import app
from linnet.errors import RequestError
from linnet.jobs.outputs import formats, write_links
from linnet.jobs.records import document_record, read_link
from linnet.link import Linker
from linnet.link.identity import identity
from linnet.link.linker import Linked
from linnet.types import Document, Mention

TEXT = "Denies fever. Mother had asthma. Gout."
SAID = {"fever": ["negated"], "asthma": ["other person"], "Gout": []}


@pytest.fixture(scope="module")
def linker() -> Linker:
    return linnet.load("starter", assertion=True)


@pytest.fixture(scope="module")
def linked(linker: Linker) -> Linked:
    [one] = linker.link_documents([Document("1", TEXT)], recognise=True)
    return one


def test_links_say_it_only_where_the_pipeline_asks(linked: Linked) -> None:
    assert {link.mention.text: list(link.assertion or ()) for link in linked.links} == SAID
    assert all(link.assertion is not None for link in linked.links)
    [plain] = linnet.load("starter").link_documents([Document("1", TEXT)], recognise=True)
    assert [link.assertion for link in plain.links] == [None] * 3
    assert "assertion" not in plain.links[0].to_dict()


def test_mentions_of_several_documents_are_each_read_in_their_own(linker: Linker) -> None:
    denied = Mention.alone("gout", left="No")
    simple = Mention.alone("gout", left="Severe")
    links = linker.link([denied, simple, "gout", denied])
    assert [link.assertion for link in links] == [("negated",), (), (), ("negated",)]


def test_runs_begun_before_it_was_a_step_go_on(linker: Linker) -> None:
    assert identity(linker)["pipeline"]["assertion"] is True
    assert "assertion" not in identity(linnet.load("starter"))["pipeline"]


def test_records_carry_it_and_are_read_again(linked: Linked) -> None:
    record = document_record(*linked)
    assert {one["text"]: one["assertion"] for one in record["mentions"]} == SAID
    assert [read_link(one, linked.document).assertion for one in record["mentions"]] == [
        link.assertion for link in linked.links
    ]


@pytest.mark.parametrize("format", ["jsonl", "mentions", "csv", "tsv", "parquet"])
def test_files_of_these_formats_have_it(linked: Linked, tmp_path: Path, format: str) -> None:
    place = tmp_path / f"out.{format}"
    assert write_links([linked], place, format=format, assertion=True) == []
    assert _read(place, format) == SAID
    write_links([linked], place, format=format)
    if format in ("csv", "tsv", "parquet"):
        with pytest.raises(KeyError):
            _read(place, format)


def test_formats_without_a_place_for_it_are_refused_before_anything_is_written(
    linked: Linked, tmp_path: Path
) -> None:
    refused = set(formats()) - {"jsonl", "mentions", "csv", "tsv", "parquet"}
    assert {"pubtator", "bioc", "sssom", "omop"} <= refused
    for format in sorted(refused):
        with pytest.raises(RequestError, match="leave assertion out"):
            write_links([linked], tmp_path / "out", format=format, assertion=True)
    assert not list(tmp_path.iterdir())


def test_the_columns_of_a_table_stay_beside_it(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("nr,assertion,finding\n1,a,gout\n2,b,\n", encoding="utf-8")
    args = ["link", str(tmp_path / "in.csv"), "--column", "finding", "-t", "starter", "--assertion"]
    done = CliRunner().invoke(app, [*args, "-o", str(tmp_path / "out.csv")])
    assert done.exit_code == 0, done.output
    with (tmp_path / "out.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["assertion"], row["linked_assertion"]) for row in rows] == [("a", ""), ("b", "")]


def test_the_command_line_asks_with_a_flag(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text(TEXT, encoding="utf-8")
    args = ["link", str(tmp_path / "note.txt"), "-t", "starter"]
    said = CliRunner().invoke(app, [*args, "--assertion"])
    assert said.exit_code == 0, said.output
    assert {one["text"]: one["assertion"] for one in json.loads(said.stdout)["mentions"]} == SAID
    refused = CliRunner().invoke(app, [*args, "--assertion", "-o", str(tmp_path / "out.pubtator")])
    assert refused.exit_code != 0
    assert not (tmp_path / "out.pubtator").exists()


def _read(place: Path, format: str) -> dict[str, list[str]]:
    if format == "parquet":
        return {row["text"]: row["assertion"] for row in pq.read_table(place).to_pylist()}
    if format in ("csv", "tsv"):
        with place.open(encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream, delimiter="," if format == "csv" else "\t"))
        return {row["text"]: row["assertion"].split("|") if row["assertion"] else [] for row in rows}
    lines = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]
    mentions = lines[0]["mentions"] if format == "jsonl" else lines
    return {one["text"]: one["assertion"] for one in mentions}
