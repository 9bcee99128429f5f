"""Notes that are scored once are never learnt from, under no id and in no copy."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from dictated_notes import ANNOTATED, TEXTS, beginning, is_held_out, learnable


def _name(*, held_out: bool) -> str:
    """A name whose note is held out, or is not, under either id."""
    return next(f"note-{n}" for n in range(1000) if is_held_out(f"note-{n}") is held_out)


def _write(folder: Path, file: str, texts: dict[str, str]) -> None:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / file, "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps({"id": id, "text": text}) + "\n" for id, text in texts.items())


def test_a_note_is_held_out_with_its_copies(tmp_path: Path) -> None:
    out, own = _name(held_out=True), _name(held_out=False)
    _write(tmp_path, ANNOTATED, {out: "PLAN: Aspirin.", own: "PLAN: Rest."})
    _write(
        tmp_path,
        TEXTS,
        {
            f"{out}.clean": "PLAN: Aspirin!",
            own: "<p><b>PLAN:</b> Rest.</p>",
            f"{own}-2": "<b>PLAN</b>: aspirin.",
        },
    )
    known = {id for id in (own, f"{own}-2") if not is_held_out(id)}
    assert own in known
    assert [record["id"] for record in learnable(ANNOTATED, data=tmp_path)] == [own]
    assert [record["id"] for record in learnable(TEXTS, data=tmp_path)] == [own]


def test_copies_have_one_beginning() -> None:
    assert (
        beginning("<p>Chief  Complaint:</p> Pain.")
        == beginning("CHIEF COMPLAINT:\n\nPain")
        == "chiefcomplaintpain"
    )


@pytest.mark.data
def test_no_held_out_note_of_the_corpus_is_learnable(data: Path) -> None:
    with gzip.open(data / ANNOTATED, "rt", encoding="utf-8") as lines:
        notes = [json.loads(line) for line in lines]
    scored = {
        beginning(note["text"])
        for note in notes
        if int(hashlib.sha1(note["id"].encode()).hexdigest(), 16) % 5 == 0
    }
    assert len(scored) > 100
    for file in (ANNOTATED, TEXTS):
        learnt = {beginning(record["text"]) for record in learnable(file, data=data)}
        assert len(learnt) > 300
        assert not learnt & scored
