"""Spans to read for precision: 200 that the default and `--recogniser dictionary` link on the dictated notes that are scored once.

    LINNET_DATA=… python -m benchmarks.clinical.precision_sample [--terminology DIR] [-o DIR] [--count 200] [--seed 5]
    python -m benchmarks.clinical.precision_sample --read [-o DIR]

Writes OUT/sample.tsv, an equal share of each system, shuffled, and OUT/key.tsv, which says whose each is: a reader writes 1 or 0 into the
column `right` without it, "1" if the span names a diagnosis or medication of the kind and means the concept. `--read` then prints the
precision of each system. OUT is bench-out/clinical-sample, which git ignores: the texts are others'. A span that is drawn for both systems
is read once.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.clinical import dictated
from benchmarks.clinical.scoring import Annotation
from benchmarks.clinical.systems import Pipeline, System
from linnet.terminology import Terminology
from linnet.types import Document

__all__ = ["Found", "draw", "found_by", "precision", "read_rows", "write"]

COLUMNS = ("nr", "note", "before", "span", "behind", "kind", "concept", "name", "right")
_AROUND = 80  # characters that are shown on either side
Found = tuple[str, Annotation]
"""The id of a note, and an annotation in it."""


def main() -> None:
    """Draw the spans, or count what was read."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--terminology", type=Path, default=Path("bench-out/mesh"), metavar="DIR")
    parser.add_argument("-o", "--output", type=Path, default=Path("bench-out/clinical-sample"), metavar="DIR")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--read", action="store_true", help="print the precision of what was read")
    options = parser.parse_args()
    if options.read:
        rows, keys = read_rows(options.output)
        for system, (right, read) in precision(rows, keys).items():
            print(f"{system}: {right} of {read} right ({100 * right / max(read, 1):.1f} %)")
        return
    if (options.output / "sample.tsv").exists():
        parser.error(
            f"{options.output / 'sample.tsv'} is there, and may have been read; name another folder with -o"
        )
    documents = dictated.read(Path(os.environ["LINNET_DATA"]) / dictated.FILE, score=True)
    systems: dict[str, System] = {
        "default": Pipeline(options.terminology, None),
        "dictionary": Pipeline(options.terminology, "dictionary"),
    }
    found = {name: found_by(system, documents) for name, system in systems.items()}
    drawn = draw(found, count=options.count, seed=options.seed)
    options.output.mkdir(parents=True, exist_ok=True)
    write(options.output, drawn, {d.id: d.text for d in documents}, Terminology.open(options.terminology))
    print(f"{len(drawn)} spans to read: {options.output / 'sample.tsv'}", file=sys.stderr)


def found_by(system: System, documents: Sequence[Document]) -> list[Found]:
    """What a system links in the documents."""
    bare = [document.with_mentions([]) for document in documents]
    return [
        (document.id, annotation)
        for document, annotations in zip(bare, system.annotate(bare), strict=True)
        for annotation in annotations
        if annotation.concepts
    ]


def draw(
    found: Mapping[str, Sequence[Found]], *, count: int, seed: int
) -> list[tuple[Found, tuple[str, ...]]]:
    """At most `count` spans in random order, and the systems that they were drawn for: each of these as often, from all that it links."""
    rng = random.Random(seed)
    share, rest = divmod(count, len(found))
    drawn: dict[tuple[str, int, int, frozenset[str]], tuple[Found, list[str]]] = {}
    for place, (system, own) in enumerate(found.items()):
        for note, a in rng.sample(own, min(len(own), share + (place < rest))):
            drawn.setdefault((note, a.start, a.end, a.concepts), ((note, a), []))[1].append(system)
    spans = [(one, tuple(systems)) for one, systems in drawn.values()]
    rng.shuffle(spans)
    return spans


def precision(
    rows: Iterable[Mapping[str, str]], keys: Iterable[Mapping[str, str]]
) -> dict[str, tuple[int, int]]:
    """By system, how many of its spans are right, of those that were read. Raises ValueError for a judgement other than 0, 1 or nothing."""
    systems = {row["nr"]: row["systems"].split("|") for row in keys}
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        if row["right"] not in ("", "0", "1"):
            raise ValueError(f"row {row['nr']}: 'right' is {row['right']!r}; expected 1, 0, or nothing yet")
        for system in systems[row["nr"]] if row["right"] else ():
            counts[system][0] += row["right"] == "1"
            counts[system][1] += 1
    return {system: (right, read) for system, (right, read) in sorted(counts.items())}


def write(
    folder: Path, drawn: Sequence[tuple[Found, tuple[str, ...]]], texts: Mapping[str, str], mesh: Terminology
) -> None:
    """Write sample.tsv, to be read, and key.tsv. texts: of the notes by id"""
    with (folder / "sample.tsv").open("w", encoding="utf-8", newline="") as sample:
        writer = csv.writer(sample, delimiter="\t")
        writer.writerow(COLUMNS)
        for nr, ((note, a), _) in enumerate(drawn, start=1):
            text, ids = texts[note], sorted(a.concepts)
            around = (text[max(0, a.start - _AROUND) : a.start], a.text, text[a.end : a.end + _AROUND])
            names = "|".join(mesh[id].name for id in ids)
            shown = (" ".join(part.split()) for part in around)
            writer.writerow([nr, note, *shown, a.type, "|".join(ids), names, ""])
    with (folder / "key.tsv").open("w", encoding="utf-8", newline="") as key:
        writer = csv.writer(key, delimiter="\t")
        writer.writerow(["nr", "systems"])
        writer.writerows([nr, "|".join(systems)] for nr, (_, systems) in enumerate(drawn, start=1))


def read_rows(folder: Path) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The rows of sample.tsv and of key.tsv."""
    tables = []
    for name in ("sample.tsv", "key.tsv"):
        with (folder / name).open(encoding="utf-8", newline="") as stream:
            tables.append(list(csv.DictReader(stream, delimiter="\t")))
    return tables[0], tables[1]


if __name__ == "__main__":
    main()
