"""Measure linnet and a longest match on the clinical notes.

    LINNET_DATA=… python -m benchmarks.clinical.run [--score] [--terminology DIR] [-o DIR]

builds MeSH 2024 in bench-out/mesh unless it is there, prints tables and writes clinical.json beside it. `--score` takes the half that is
scored once instead of the half to tune on.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import linnet
from benchmarks.clinical import dictated, figures, tables
from benchmarks.clinical.notes import GoldMention, Note, load
from benchmarks.clinical.scoring import judge
from benchmarks.clinical.systems import LongestMatch, Pipeline, System
from linnet.terminology import Terminology

MESH = ("desc2024.rebuilt.xml.gz", "supp2024.rebuilt.xml.gz")


def main() -> None:
    """Print the tables, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--score", action="store_true", help="the half that is scored once")
    parser.add_argument(
        "--terminology", type=Path, metavar="DIR", help="MeSH 2024, indexed; built if there is none"
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("bench-out"), metavar="DIR")
    options = parser.parse_args()
    if not (data := os.environ.get("LINNET_DATA")):
        parser.error("LINNET_DATA names no folder with corpora and terminologies; set it")
    folder = _mesh(options.terminology or options.output / "mesh", Path(data))
    notes = load(score=options.score)
    real = [] if options.score else dictated.read(Path(data) / dictated.FILE)
    terminology = Terminology.open(folder)
    systems: dict[str, System] = {
        "default": Pipeline(folder, None),
        "dictionary": Pipeline(folder, "dictionary"),
        "longest match": LongestMatch(terminology),
    }
    results = {name: measure(system, notes, terminology) for name, system in systems.items()}
    for name, system in systems.items():
        results[name]["dictated"] = dictated.recall(real, system) if real else {}
    report = {"half": "score" if options.score else "tune", "notes": len(notes), "systems": results}
    path = options.output / "clinical.json"
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(tables.tables(results))
    print(f"{len(notes)} notes; written to {path}")


def _mesh(folder: Path, data: Path) -> Path:
    if not folder.exists():
        sources = [data / "terminologies/mesh2024" / name for name in MESH]
        linnet.build(sources, folder)
    return folder


def measure(system: System, notes: Sequence[Note], terminology: Terminology) -> dict[str, Any]:
    """All figures of a system on the notes."""
    names = _Names(terminology)
    bare = [note.document().with_mentions([]) for note in notes]
    judged = [judge(note, found) for note, found in zip(notes, system.annotate(bare), strict=True)]
    answers = [system.link(note) for note in notes]
    return {
        "end to end": figures.end_to_end(judged, names.has),
        "traps": figures.traps(notes, judged),
        "given": figures.given_mentions(notes, answers, names.has),
        "assertion": figures.assertion_figures(notes, answers),
    }


class _Names:
    """Whether a mention is, but for letter case and line breaks, a name of its concept."""

    def __init__(self, terminology: Terminology) -> None:
        self._terminology = terminology

    def has(self, gold: GoldMention) -> bool:
        if len(gold.concepts) != 1:
            return False
        (concept,) = gold.concepts
        text = " ".join(gold.text.casefold().split())
        return any(text == name.casefold() for name in self._terminology[concept].all_names)


if __name__ == "__main__":
    main()
