"""Fields that look like annotations and are not read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from linnet import corpora
from linnet.corpora import Notes, read
from linnet.errors import DataError

GOUT = {"start": 0, "end": 4, "type": "Disease"}


def file(tmp_path: Path, *records: dict[str, Any]) -> Path:
    path = tmp_path / "in.jsonl"
    path.write_text(
        "".join(json.dumps({"id": str(n), "text": "Gout hurts."} | r) + "\n" for n, r in enumerate(records))
    )
    return path


def noted(path: Path, **options: Any) -> dict[str, int]:
    notes = Notes()
    list(read(path, note=notes.add, **options))
    return notes.counts


@pytest.mark.parametrize(
    "fields",
    [
        {"entities": [[0, 4, "Disease"]]},
        {"spanLabels": [], "labels": [{"start": 0}]},
        {"label": "Disease"},
        {"concept_id": "D000001"},
        {"mentions": [GOUT], "ner_tags": [["B"]]},
        {"mentions": [GOUT | {"concept_id": "D000001"}]},
        {"mentions": [GOUT | {"identifier": "D000001"}]},
    ],
)
def test_they_are_counted_where_texts_are_read_and_refused_where_gold_is_wanted(
    tmp_path: Path, fields: dict[str, Any]
):
    path = file(tmp_path, fields, fields)
    [(what, count)] = noted(path, format="jsonl").items()
    assert count == 2
    assert "looks like annotations and was not read" in what
    with pytest.raises(DataError, match=r"document 0: .* looks like annotations"):
        list(read(path, annotated=True, format="jsonl"))
    refused: list[DataError] = []
    with_gold = file(tmp_path, fields, {"mentions": [GOUT | {"concepts": ["X:1"]}]})
    documents = read(with_gold, format="jsonl", annotated=True, on_error="skip", report=refused.append)
    assert [document.id for document in documents] == ["1"]
    assert len(refused) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"year": 2001, "journal": "Gout"},
        {"label": "", "entities": []},
        {"label": "review", "mentions": [GOUT]},
        {"mentions": [GOUT | {"concepts": ["X:1"], "identifier": "X:1", "id": "T1"}]},
        {"mentions": [GOUT | {"identifier": "-1"}]},
    ],
)
def test_other_fields_are_carried_without_a_word(tmp_path: Path, fields: dict[str, Any]):
    path = file(tmp_path, fields)
    assert noted(path) == {}
    assert len(list(read(path, annotated=True))) == 1


def test_columns_of_a_table_and_fields_of_mentions_are_named_too(tmp_path: Path):
    table = tmp_path / "names.csv"
    table.write_text("name,cui\ngout,C0000001\nasthma,\n,\n")
    assert noted(table) == {
        "rows with a column 'cui', which looks like annotations and was not read": 1,
        "rows with an empty column 'name', which have nothing to link": 1,
    }
    mentions = file(tmp_path, {"left": "", "mesh_id": "D000001"})
    assert list(noted(mentions)) == [
        "documents with a field 'mesh_id', which looks like annotations and was not read"
    ]


def test_nil_and_empty_cells_of_a_table_are_read_not_overlooked(tmp_path: Path):
    path = tmp_path / "a.csv"
    path.write_text("phrase,concept\ngout,D006073\nqx,CUI-less\nqy,NIL\n,D001249\n", encoding="utf-8")
    notes = corpora.Notes()
    documents = list(corpora.read(path, annotated=True, note=notes.add))
    assert [len(document.mentions) for document in documents] == [1, 1, 1, 0]
    assert notes.lines() == ["1 row with an empty column 'phrase', which has nothing to link"]
