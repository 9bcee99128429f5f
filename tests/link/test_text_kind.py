"""What a text is read as, a note or an article: by itself or by the pipeline, and where it is said."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli import app
from linnet.jobs.outputs import write_links
from linnet.link.identity import identity
from linnet.types import Document

NOTE = """72M, PMH: HTN, MI. C/o chest pain x 2 days. No SOB, no fever.
O/E: BP 120/80, chest clear. Plan: aspirin 75 mg daily, told to return if worse.
"""
ARTICLE = "We investigated whether mutations in the gene are associated with gout in patients of two cohorts."


def test_a_text_is_read_as_what_it_reads_like() -> None:
    note, article = linnet.load("starter").annotate_many([NOTE, ARTICLE])
    assert (note.text_kind, article.text_kind) == ("note", "article")
    assert (note.note or 0) > 0.9 > 0.1 > (article.note or 0)


def test_a_pipeline_decides_for_all_texts() -> None:
    probabilities = {}
    for name in ("clinical", "literature"):
        linked = list(linnet.load("starter", pipeline=name).annotate_many([NOTE, ARTICLE]))
        assert {document.text_kind for document in linked} == {"note" if name == "clinical" else "article"}
        probabilities[name] = [
            mention.link.probability for document in linked for mention in document.mentions
        ]
    assert probabilities["clinical"] != probabilities["literature"]
    assert linnet.load("starter", pipeline="literature", text_kind="note").annotate(NOTE).note == 1


def test_no_text_is_read_where_mentions_are_given() -> None:
    linker = linnet.load("starter", assertion=True)
    document = Document("1", NOTE)
    [linked] = linker.link_documents([document], recognise=False)
    assert linked.document.text_kind == ""


def test_an_unknown_kind_is_refused_with_the_kinds() -> None:
    with pytest.raises(linnet.LinnetError, match="'text_kind' is 'letter'; expected auto, note or article"):
        linnet.load("starter", text_kind="letter")


def test_runs_begun_before_it_was_a_step_go_on() -> None:
    assert "text_kind" not in identity(linnet.load("starter"))["pipeline"]
    assert identity(linnet.load("starter", text_kind="note"))["pipeline"]["text_kind"] == "note"


@pytest.mark.parametrize("format", ["jsonl", "mentions", "csv", "tsv", "parquet"])
def test_files_of_links_say_it_with_assertion(format: str, tmp_path: Path) -> None:
    linked = list(linnet.load("starter").link_documents([Document("1", NOTE)], recognise=True))
    for assertion in (True, False):
        write_links(linked, place := tmp_path / f"{assertion}.{format}", format=format, assertion=assertion)
        assert {row.get("text_kind") for row in _rows(place, format)} == {"note" if assertion else None}


def test_the_command_line_counts_kinds_in_the_manifest(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text(
        "".join(
            json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate([NOTE, ARTICLE, NOTE])
        )
    )
    assert _kinds(texts, tmp_path / "out.jsonl") == {"note": 2, "article": 1}
    assert _kinds(texts, tmp_path / "clinical.jsonl", "--pipeline", "clinical") == {"note": 3}
    assert _kinds(texts, tmp_path / "chunks", "--jobs", "1", "--resume") == {"note": 2, "article": 1}


def _kinds(texts: Path, output: Path, *options: str) -> Any:
    done = CliRunner().invoke(app, ["link", str(texts), "-t", "starter", "-o", str(output), *options])
    assert done.exit_code == 0, done.output
    assert "of 3 documents read as clinical notes." in done.stderr
    return json.loads(Path(f"{output}.manifest.json").read_text(encoding="utf-8"))["text_kinds"]


def _rows(place: Path, format: str) -> list[dict[str, Any]]:
    if format == "parquet":
        return pq.read_table(place).to_pylist()
    if format in ("csv", "tsv"):
        with place.open(encoding="utf-8") as stream:
            return list(csv.DictReader(stream, delimiter="," if format == "csv" else "\t"))
    return [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]
