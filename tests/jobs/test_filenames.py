"""Inputs whose names are not UTF-8: whatever is written names them, spelt in one way."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from linnet import corpora
from linnet.errors import DataError
from linnet.jobs.job import run
from linnet.jobs.request import Request
from linnet.link.linker import Linker
from linnet.terminology import Terminology

NAME = os.fsdecode(b"caf\xe9")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="names are bytes on Unix alone")


@pytest.fixture(scope="module")
def linker(terminology: Terminology) -> Linker:
    return Linker.open([terminology])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / os.fsdecode(b"in\xe9")
    place.mkdir()
    try:
        (place / f"{NAME}.txt").write_text("Aspirin helps.", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes names in UTF-8 alone")
    (place / "other.txt").write_text("More aspirin.", encoding="utf-8")
    return place


@pytest.mark.parametrize("format", ["jsonl", "csv", "tsv", "parquet", "mentions", "bioc", "biocjson"])
def test_ids_and_manifest_spell_the_bytes_that_are_not_utf_8(
    folder: Path, tmp_path: Path, linker: Linker, format: str
):
    output = tmp_path / f"out.{format}"
    summary = run(Request(input=str(folder), output=str(output), format=format), linker)
    written = str(pq.read_table(output).to_pylist()) if format == "parquet" else output.read_text("utf-8")
    assert "caf%E9" in written
    assert "other" in written
    assert summary.notes.lines() == [
        "1 document id made from a file name that is not UTF-8, its other bytes written as %XX"
    ]
    manifest = json.loads((tmp_path / f"out.{format}.manifest.json").read_text("utf-8"))
    assert manifest["input"]["path"].endswith("in%E9")


def test_a_folder_is_written_under_the_spelt_name(folder: Path, tmp_path: Path, linker: Linker):
    run(Request(input=str(folder), output=str(tmp_path / "out"), format="text"), linker)
    assert (tmp_path / "out" / "caf%E9.txt").is_file()


def test_half_a_character_in_json_is_refused_with_its_line(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "Gout."}\n{"id": "\\uD83D", "text": "x y"}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.jsonl:2.*half a character"):
        list(corpora.read(path))
