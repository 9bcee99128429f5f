"""Measure linnet and a longest match on the clinical notes, and write docs/results/clinical.md.

    LINNET_DATA=… python -m benchmarks.clinical.run [--score] [--speed] [--second] [--terminology DIR] [-o DIR]

builds MeSH 2024, MEDIC and HPO in bench-out unless they are there, prints tables, and writes OUT/clinical.json, the page, its tables and
its plot. `--score` takes the halves that are scored once, of the invented and of the dictated notes, instead of those to tune on.
`--second` measures the second set of notes, prints what was found and linked, and writes all figures into OUT; the page is about the first.
`before.py` says how the figures before linnet was made for notes came about.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import linnet
from benchmarks.clinical import before, dictated, figures, home
from benchmarks.clinical.notes import GoldMention, Note, load
from benchmarks.clinical.scoring import judge
from benchmarks.clinical.systems import LongestMatch, Pipeline, System
from benchmarks.clinical.tables import BEFORE, NOW
from linnet import corpora
from linnet.terminology import Terminology

MESH = ("desc2024.rebuilt.xml.gz", "supp2024.rebuilt.xml.gz")
_ARTICLES = 100


def main() -> None:
    """Print the tables, and write the figures and the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--score", action="store_true", help="the halves that are scored once")
    parser.add_argument("--speed", action="store_true", help="measure speed, too")
    parser.add_argument("--second", action="store_true", help="the second set of notes, without a page")
    parser.add_argument("--before", action="store_true", help="keep the figures of an earlier linnet")
    parser.add_argument(
        "--terminology", type=Path, metavar="DIR", help="MeSH 2024, indexed; built if there is none"
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("bench-out"), metavar="DIR")
    options = parser.parse_args()
    if not (place := os.environ.get("LINNET_DATA")):
        parser.error("LINNET_DATA names no folder with corpora and terminologies; set it")
    data = Path(place)
    folders = home.terminologies(
        _mesh(options.terminology or options.output / "mesh", data), data, options.output
    )
    half = "score" if options.score else "tune"
    notes = load("texts2" if options.second else "texts", score=options.score)
    real = dictated.read(data / dictated.FILE, score=options.score)
    terminology = Terminology.open(folders["mesh"])
    default = Pipeline(folders["mesh"], None)
    if options.before:
        own = {half: _measured(default, notes, real, terminology), "home": _home(folders, data)}
        before.keep(own)
        return
    systems: dict[str, System] = {
        NOW: default,
        "dictionary": Pipeline(folders["mesh"], "dictionary"),
        "longest match": LongestMatch(terminology),
    }
    if options.second:
        options.output.mkdir(parents=True, exist_ok=True)
        for name, system in systems.items():
            measured = measure(system, notes, terminology)
            place = options.output / f"clinical-second-{half}-{name.replace(' ', '-')}.json"
            place.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
            found = measured["end to end"]
            shares = (f"{kind} {found[kind]['weak']['F1']:.1f}" for kind in ("all", "Disease", "Chemical"))
            print(f"{name}: weak F1 {', '.join(shares)}", flush=True)
        return
    earlier = before.kept()
    results = {BEFORE: earlier[half]} if half in earlier else {}
    for name, system in systems.items():
        results[name] = _measured(system, notes, real, terminology)
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "clinical.json"
    path.write_text(json.dumps({"half": half, "systems": results}, indent=1) + "\n", encoding="utf-8")
    _write_page(half, results, earlier.get("home"), folders, data, default, is_timed=options.speed)
    print(f"{len(notes)} notes; figures in {path}")


def _write_page(
    half: str,
    results: dict[str, Any],
    earlier: dict[str, Any] | None,
    folders: dict[str, Path],
    data: Path,
    default: Pipeline,
    *,
    is_timed: bool,
) -> None:
    # An earlier linnet has not what these need.
    from benchmarks.clinical import page
    from benchmarks.clinical.one_more_line import one_more_line

    own = _home(folders, data)
    both = {NOW: own, **({BEFORE: earlier} if earlier else {})}
    articles = [d.text for d in corpora.read(data / "corpora/ncbi-disease/NCBItrainset_corpus.txt")]
    texts = {
        "notes": [note.text for note in load()],
        "abstracts": random.Random(0).sample(articles, _ARTICLES),
    }
    measured = page.Measured(
        half=half,
        systems=results,
        home={title: {when: one["spans"][title] for when, one in both.items()} for title in own["spans"]},
        phenotypes={
            title: {when: one["phenotypes"][title] for when, one in both.items()}
            for title in own["phenotypes"]
        },
        lines={
            kind: one_more_line(own_texts, default.linker, notes=texts["notes"], articles=texts["abstracts"])
            for kind, own_texts in texts.items()
        },
        speed=home.speed(default.linker, data) if is_timed else {},
    )
    page.write(measured)
    for name, text in page.render(measured).items():
        if text.startswith("|"):
            print(f"{name}\n{text}\n")


def _mesh(folder: Path, data: Path) -> Path:
    if not folder.exists():
        sources = [data / "terminologies/mesh2024" / name for name in MESH]
        linnet.build(sources, folder)
    return folder


def _home(folders: dict[str, Path], data: Path) -> dict[str, Any]:
    return {
        "spans": home.exact_spans(folders, data),
        "phenotypes": home.phenotypes(folders["hpo"], data),
    }


def _measured(
    system: System, notes: Sequence[Note], real: Sequence[Any], terminology: Terminology
) -> dict[str, Any]:
    return measure(system, notes, terminology) | {"dictated": dictated.recall(real, system)}


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
