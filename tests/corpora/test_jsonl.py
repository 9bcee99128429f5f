"""JSON Lines documents."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from linnet.corpora import read
from linnet.corpora.jsonl import read_jsonl, write_jsonl
from linnet.errors import DataError, OffsetError


def file(tmp_path: Path, *records: object) -> Path:
    path = tmp_path / "some.jsonl"
    path.write_text(
        "".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in records), encoding="utf-8"
    )
    return path


def test_concepts_are_taken_from_concepts_concept_or_cui(tmp_path: Path):
    spans = [
        {"start": 0, "end": 4, "text": "gout", "concepts": ["MESH:D000001", "D000002"]},
        {"start": 0, "end": 4, "text": "gout", "concept": "OMIM:100100"},
        {"start": 0, "end": 4, "text": "gout", "cui": "C0000001"},
        {"start": 0, "end": 4},
    ]
    (document,) = read_jsonl(file(tmp_path, {"id": 7, "text": "gout", "mentions": spans}))
    assert document.id == "7"
    assert [m.concepts for m in document.mentions] == [
        ("MESH:D000001", "MESH:D000002"),
        ("OMIM:100100",),
        ("UMLS:C0000001",),
        (),
    ]
    assert document.mentions[3].text == "gout"


def test_unknown_fields_are_written_back(tmp_path: Path):
    mention = {
        "start": 0,
        "end": 4,
        "text": "gout",
        "type": "",
        "concepts": [],
        "name": "Gout",
        "probability": 0.5,
    }
    record = {"id": "1", "text": "gout", "mentions": [mention], "journal": "Invented"}
    path = file(tmp_path, record)
    assert not write_jsonl(read_jsonl(path), tmp_path / "out")
    assert json.loads((tmp_path / "out").read_text()) == record


def test_a_document_without_id_has_its_line_number(tmp_path: Path):
    assert [d.id for d in read_jsonl(file(tmp_path, {"text": "a"}, "", {"text": "b"}))] == ["1", "3"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"id": "1", "text": "go', "not valid JSON at column"),
        ("[1]", "expected a JSON object, got an array"),
        ('{"id": "1", "body": "gout"}', "got fields 'id', 'body'"),
        ('{"text": ["gout"]}', "expected a string in 'text'"),
        ('{"text": "a", "mentions": {}}', "expected a list in 'mentions'"),
        ('{"text": "a", "mentions": [3]}', "mention 1: expected an object"),
        ('{"text": "a", "mentions": [{"start": "0", "end": 1}]}', "whole numbers"),
        ('{"text": "a", "mentions": [{"start": 0, "end": 1, "concepts": 5}]}', "list of concept ids"),
        (
            '{"text": "a", "mentions": [{"start": 0, "end": 1, "confidence": "high"}]}',
            "number in 'confidence'",
        ),
        ('{"text": "half \\ud83d"}', "lone surrogate U\\+D83D"),
        ("[" * 100_000, "not valid JSON|nested"),
    ],
)
def test_malformed_lines_are_refused_with_their_number(tmp_path: Path, line: str, says: str):
    with pytest.raises(DataError, match=says) as caught:
        list(read_jsonl(file(tmp_path, {"text": "fine"}, line)))
    assert caught.value.line == 2
    assert len(list(read(tmp_path / "some.jsonl", on_error="skip"))) >= 1


def test_offsets_are_checked(tmp_path: Path):
    with pytest.raises(OffsetError, match="says 'gout'"):
        list(
            read_jsonl(file(tmp_path, {"text": "goat", "mentions": [{"start": 0, "end": 4, "text": "gout"}]}))
        )


def test_a_truncated_gzip_is_refused(tmp_path: Path):
    path = tmp_path / "cut.jsonl.gz"
    whole = gzip.compress(
        "".join(json.dumps({"id": i, "text": f"{i} gout" * 9}) + "\n" for i in range(3000)).encode()
    )
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="truncated"):
        list(read(path))


@pytest.mark.data
def test_medmentions_sentences_are_read_with_their_cuis(data: Path):
    documents = list(read(data / "corpora" / "medmentions-dev" / "sentences.jsonl.gz"))
    mentions = [m for d in documents for m in d.mentions]
    assert len(mentions) == 67_030
    assert all(c.startswith("UMLS:C") for m in mentions for c in m.concepts)
