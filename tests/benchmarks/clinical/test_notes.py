"""The markup of the clinical notes, the halves, and the notes as committed."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.clinical.check import problems
from benchmarks.clinical.notes import KINDS, KINDS2, all_notes, halves, load, parse
from linnet.terminology.readers import read_several
from linnet.types import Concept

SOURCE = """PMH: [[T2DM|MESH:D003924|Disease|historical|abbreviation]]. Sats 93 [[RA|trap|ambiguous]].
No [[breath-
lessness|MESH:D004417|Disease|negated]] or [[N&V|MESH:D009325+MESH:D014839|Disease|negated+other person]].
[[creatinine|optional]] 140 | [[liver mets|MESH:D009362 or MESH:D008113|Disease|present]] | [[palps|NIL|Disease|uncertain]]
"""


def test_markup_becomes_text_with_offsets() -> None:
    note = parse("gp-99", SOURCE)
    assert "[[" not in note.text
    assert note.text.startswith(
        "PMH: T2DM. Sats 93 RA.\nNo breath-\nlessness or N&V.\ncreatinine 140 | liver mets |"
    )
    for span in (*note.mentions, *note.traps, *note.optional):
        assert note.text[span.start : span.end] == span.text
    assert [m.text for m in note.mentions] == ["T2DM", "breath-\nlessness", "N&V", "liver mets", "palps"]
    assert (note.kind, [t.kind for t in note.traps], [o.text for o in note.optional]) == (
        "gp",
        ["ambiguous"],
        ["creatinine"],
    )


def test_fields_are_read() -> None:
    diabetes, dyspnoea, both, mets, palps = parse("gp-99", SOURCE).mentions
    assert diabetes.classes == {"abbreviation"}
    assert dyspnoea.classes == {"broken", "negated"}
    assert both.concepts == {"MESH:D009325", "MESH:D014839"}
    assert both.assertion == {"negated", "other person"}
    assert mets.answers == (frozenset({"MESH:D009362"}), frozenset({"MESH:D008113"}))
    assert mets.classes == {"table"}
    assert not palps.concepts


def test_a_document_has_the_best_concepts() -> None:
    document = parse("gp-99", SOURCE).document()
    assert [m.concepts for m in document.mentions][2:4] == [
        ("MESH:D009325", "MESH:D014839"),
        ("MESH:D009362",),
    ]
    assert all(m.document is document for m in document.mentions)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("[[SOB|MESH:D004417|Disease|absent]]", "has assertion"),
        ("[[SOB|MESH:D004417|Symptom|present]]", "has type"),
        ("[[SOB|D004417|Disease|present]]", "has concept 'D004417'"),
        ("[[SOB|MESH:D004417+NIL|Disease|present]]", "has concept 'NIL'"),
        ("[[SOB|MESH:D004417|Disease|present|short]]", "has class"),
        ("[[ SOB|MESH:D004417|Disease|present]]", "blanks around"),
        ("[[SOB|MESH:D004417|Disease]]", "2 fields"),
        ("[[RA|trap|gas]]", "is a trap of kind"),
        ("[[RA|optional|x]]", "no further fields"),
        ("[[SOB|MESH:D004417|Disease|present]", "unclosed markup"),
    ],
)
def test_malformed_markup_is_refused(source: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse("gp-99", source)


def test_halves_depend_on_names_alone_and_are_balanced() -> None:
    names = [f"{kind}-{n:02}" for kind in KINDS for n in range(1, 21)]
    tune, score = halves(reversed(names))
    assert (tune, score) == halves(names)
    assert sorted(tune + score) == sorted(names)
    assert set(Counter(name.rpartition("-")[0] for name in tune).values()) == {10}


def test_only_the_half_to_tune_on_is_read_without_asking(capsys: pytest.CaptureFixture[str]) -> None:
    tune = {note.name for note in load()}
    assert capsys.readouterr().err == ""
    score = {note.name for note in load(score=True)}
    assert "scored once" in capsys.readouterr().err
    assert (len(tune), len(score), tune & score) == (60, 60, set())
    assert len(load("texts2")) == len(load("texts2", score=True)) == 24


@pytest.mark.parametrize(("folder", "kinds", "each"), [("texts", KINDS, 20), ("texts2", KINDS2, 8)])
def test_the_committed_notes_are_as_described(folder: str, kinds: tuple[str, ...], each: int) -> None:
    notes = all_notes(folder)
    assert Counter(note.kind for note in notes) == dict.fromkeys(kinds, each)
    assert sum(len(note.mentions) for note in notes) >= 2500
    assert sum(len(note.traps) for note in notes) >= 250
    for note in notes:
        spans = sorted([*note.mentions, *note.traps, *note.optional], key=lambda span: span.start)
        assert all(left.end <= right.start for left, right in pairwise(spans)), note.name


def test_all_concepts_are_in_mesh_and_fit_the_types(data: Path) -> None:
    files = [data / f"terminologies/mesh2024/{part}2024.rebuilt.xml.gz" for part in ("desc", "supp")]
    known: dict[str, Concept] = {}
    for concept in read_several(files, formats=("mesh", "mesh")):
        known.setdefault(concept.id, concept)  # a supplementary record only adds names to a descriptor
    for folder in ("texts", "texts2"):
        assert list(problems(all_notes(folder), known)) == []
