"""What a corpus reader passes over on purpose is said by every command that reads a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from linnet.cli import app
from linnet.link.indexing import build_indexes
from linnet.terminology import write_terminology
from linnet.types import Concept

LEFT_OUT = "1 document rejected by the annotator, left out."


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A terminology with an index, and an export of Prodigy with an accepted and a rejected task; the working directory."""
    build_indexes(
        write_terminology([Concept("X:1", "gout"), Concept("X:2", "scurvy")], tmp_path / "t"), ("exact",)
    )
    tasks = [
        {
            "text": f"{name} hurts",
            "spans": [{"start": 0, "end": len(name), "label": "D", "kb_id": id}],
            "answer": answer,
        }
        for name, id, answer in (("Gout", "X:1", "accept"), ("Scurvy", "X:1", "reject"))
    ]
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str) -> Result:
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 0, result.stderr
    return result


def test_evaluate_scores_what_was_accepted_and_counts_the_rest(place: Path):
    shown = run("evaluate", "tasks.jsonl", "-t", "t", "--retriever", "exact", "--protocol", "strict")
    assert f"tasks.jsonl: {LEFT_OUT}" in shown.stderr
    assert "| `strict` | accuracy | 100.0 | " in shown.stdout
    assert "1 document, 1 mention" in shown.stdout


def test_augment_takes_names_from_what_was_accepted_alone(place: Path):
    shown = run("terminology", "augment", "t", "--corpus", "tasks.jsonl", "-o", "t2")
    assert LEFT_OUT in shown.stderr
    assert "Added 0 names; 1 were there already." in shown.stderr


def test_link_reads_every_text_and_the_manifest_has_the_notes(place: Path):
    shown = run("link", "tasks.jsonl", "-t", "t", "--retriever", "exact", "--mentions", "-o", "out.jsonl")
    note = "1 document rejected by the annotator, read without annotations"
    assert f"Input: {note}." in shown.stderr
    assert json.loads((place / "out.jsonl.manifest.json").read_text())["notes"] == [note]
    assert [len(json.loads(line)["mentions"]) for line in (place / "out.jsonl").read_text().splitlines()] == [
        1,
        0,
    ]
