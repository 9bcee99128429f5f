"""Bare strings with sets of MeSH 2024 concepts: of trial registries, and as a hospital table has them.

`hospital.jsonl` and `mixed.jsonl` were written for linnet and hold their texts. `registry.jsonl` holds the SHA-1 of each text; the
texts are found among the strings that `draw.py` draws.
"""

from __future__ import annotations

import json
from hashlib import sha1
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.generalisation.draw import draw

__all__ = ["REGISTRY", "AnnotatedString", "Strings", "digest_of", "hospital", "mixed", "registry"]

HOSPITAL = Path(__file__).with_name("hospital.jsonl")
MIXED = Path(__file__).with_name("mixed.jsonl")
REGISTRY = Path(__file__).with_name("registry.jsonl")
_TRIALS = "corpora/clinical-trials/trials.jsonl"
_PARTS = {
    "tune": "to tune on",
    "score": "scored at the end (75.5 the first time, 76.2 since preferred names keep their concepts)",
}


class AnnotatedString(NamedTuple):
    """A string, the concepts it means (none for NIL), and what is difficult about it."""

    number: int
    text: str
    concepts: tuple[str, ...]
    difficulty: str


class Strings(NamedTuple):
    """Strings of one source."""

    name: str
    title: str
    note: str
    strings: list[AnnotatedString]


def digest_of(text: str) -> str:
    """SHA-1 of the stripped text in UTF-8, as hexadecimal digits."""
    return sha1(text.strip().encode()).hexdigest()


def hospital(data: Path | None = None, *, path: Path = HOSPITAL) -> Strings:
    """The strings of `hospital.jsonl`; needs no data."""
    strings = [_string(row, row["number"], row["text"]) for row in _rows(path)]
    note = (
        "150 strings of problem lists, diagnoses and triage notes, written for linnet and answered once, by a language model, "
        "before linnet answered them. No model has seen them."
    )
    return Strings("hospital", "Hospital table → MeSH 2024", note, strings)


def mixed(data: Path | None = None, *, path: Path = MIXED) -> Strings:
    """The strings of `mixed.jsonl`; needs no data."""
    strings = [_string(row, row["number"], row["text"]) for row in _rows(path)]
    note = (
        f"{len(strings)} strings as hospital tables and trial registries have them, written and answered by a language model "
        "after the rules and lists of the first release of bare strings, and before linnet answered them. No model has seen them."
    )
    return Strings("mixed-strings", "Hospital and registry strings, second set → MeSH 2024", note, strings)


def registry(data: Path, *, part: str, path: Path = REGISTRY) -> Strings:
    """The strings of one part, "tune" or "score", of `registry.jsonl`, in the order drawn.

    Raises ValueError where a digest belongs to none of the strings drawn.
    """
    drawn = {digest_of(string.text): string for string in draw(data / _TRIALS)}
    rows = [row for row in _rows(path) if row["part"] == part]
    unknown = [row["sha1"] for row in rows if row["sha1"] not in drawn]
    if unknown:
        raise ValueError(
            f"{path}: {len(unknown)} digests, {unknown[0]} the first, belong to no string that draw.py draws "
            f"from {data / _TRIALS}"
        )
    strings = [_string(row, drawn[row["sha1"]].number, drawn[row["sha1"]].text) for row in rows]
    note = (
        f"{len(strings)} conditions and interventions of ClinicalTrials.gov, "
        f"{_PARTS[part]}; answered twice by a language model, then settled "
        "(`benchmarks/generalisation/guideline.md`). No model has seen them."
    )
    return Strings(f"registry-{part}", f"Trial registry, {part} → MeSH 2024", note, sorted(strings))


def _string(row: dict[str, Any], number: int, text: str) -> AnnotatedString:
    return AnnotatedString(number, text, tuple(row["concepts"]), row["difficulty"])


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
