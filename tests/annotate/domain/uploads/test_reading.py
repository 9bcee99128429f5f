"""Documents of uploaded files that the database could not store are refused, and no others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from linnet.annotate.domain.uploads.reading import FileReport, ReadOptions, read_received
from linnet.annotate.domain.uploads.receiving import Received


def read(tmp_path: Path, record: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Texts of the valid documents, and what is refused."""
    path = tmp_path / "marsh.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    report = FileReport(name=path.name)
    documents = read_received(Received(path.name, path), ReadOptions(), report)
    return [document.text for document in documents], report.refused


@pytest.mark.parametrize(
    "text", [r"an emoji, \ud83d\ude00, as JSON writes it", r"the escape \x00", "gout 😀"]
)
def test_texts_with_escape_sequences_are_valid(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, {"id": "a", "text": text, "mentions": [], "note": text}) == ([text], [])


@pytest.mark.parametrize("field", ["text", "note"])
def test_nul_is_refused_wherever_it_is(tmp_path: Path, field: str) -> None:
    record = {"id": "a", "text": "gout", "mentions": [], field: "marsh\x00fever"}
    texts, [refusal] = read(tmp_path, record)
    assert texts == []
    assert refusal.endswith("it contains an invalid character (the character NUL).")


def test_where_a_reader_fails_is_logged_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise TypeError("marsh")

    monkeypatch.setattr("linnet.corpora.jsonl.concepts_of", broken)
    texts, [refusal] = read(
        tmp_path, {"id": "a", "text": "gout", "mentions": [{"start": 0, "end": 4, "concepts": ["X:1"]}]}
    )
    assert texts == []
    assert refusal == "marsh.jsonl: cannot be read as jsonl (TypeError). Check its format."
    assert "TypeError: marsh" in caplog.text
