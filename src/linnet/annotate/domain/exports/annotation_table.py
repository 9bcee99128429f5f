"""Annotations as a table for spreadsheets: who annotated what and when, with the names of concepts."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from linnet.annotate.domain.documents.picked import Picked
from linnet.annotate.store.tables import CURATED

__all__ = ["COLUMNS", "write_annotation_table"]

COLUMNS = (
    "document", "sheet", "state", "start", "end", "text", "type", "concepts", "names", "nil", "composite",
    "layer", "annotator", "time", "probability", "accepted_unchanged",
)  # fmt: skip


def write_annotation_table(
    picked: Iterator[Picked], path: Path, names: Callable[[str], str], attributes: Sequence[str]
) -> bool:
    """Write a CSV file, one annotation a row, in text order; returns whether there was any document.

    names       preferred name of a concept, "" for unknown ids
    attributes  a column for each: `yes` for a flag, else the value

    Several concepts and their names are separated by `|`. Times are in UTC. The file begins with a byte order mark, without which
    spreadsheets take UTF-8 for another encoding.
    """
    first = next(picked, None)
    if first is None:
        return False
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow((*COLUMNS, *attributes))
        for item in chain([first], picked):
            writer.writerows(_rows(item, names, attributes))
    return True


def _rows(
    item: Picked, names: Callable[[str], str], attributes: Sequence[str]
) -> Iterator[tuple[object, ...]]:
    row, sheet, annotations = item
    owner = "curated" if sheet.owner == CURATED else sheet.owner
    for annotation in annotations:
        yield (
            row.name, owner, sheet.state, annotation.start, annotation.end, row.text[annotation.start : annotation.end], annotation.type,
            "|".join(annotation.concepts), "|".join(map(names, annotation.concepts)), _word(annotation.nil), _word(annotation.composite),
            annotation.layer, annotation.author, annotation.changed.isoformat(timespec="seconds"),
            "" if annotation.probability is None else f"{annotation.probability:.4f}", _word(annotation.unchanged),
            *(_value(annotation.attributes.get(name)) for name in attributes),
        )  # fmt: skip


def _value(value: object) -> object:
    return _word(True) if value is True else "" if value is None else value


def _word(value: bool) -> str:
    return "yes" if value else ""
