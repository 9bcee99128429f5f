"""Decisions in an SSSOM table: what a person curated or reviewed."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from urllib.parse import unquote

from linnet.errors import DataError
from linnet.io.files import read_lines
from linnet.mapping.decisions import Equivalence, Status
from linnet.mapping.imports.made import MAPS_TO, Made
from linnet.terminology.sssom import NO_TERM
from linnet.words.curies import curie

__all__ = ["read_sssom"]

_EQUIVALENCES = {
    "skos:exactMatch": Equivalence.EQUIVALENT,
    "owl:equivalentClass": Equivalence.EQUAL,
    "owl:sameAs": Equivalence.EQUAL,
    "skos:closeMatch": Equivalence.EQUIVALENT,
    "skos:broadMatch": Equivalence.BROADER,
    "skos:narrowMatch": Equivalence.NARROWER,
    "skos:relatedMatch": Equivalence.INEXACT,
}
_BY_A_PERSON = ("semapv:ManualMappingCuration", "semapv:MappingReview")
_NEEDED = ("predicate_id", "object_id", "mapping_justification")


def read_sssom(path: str | Path) -> Iterator[Made]:
    """Mappings of one subject that follow each other are targets of one decision; those that no person made, and negated ones, are
    left out. Subjects with the prefix "source" are codes; literals are texts."""
    for (subject, text), group in groupby(
        _mappings(path), key=lambda entry: (entry[1]["subject"], entry[1]["text"])
    ):
        entries = list(group)
        number, first = entries[0]
        targets = tuple(
            (curie(row["object_id"]), MAPS_TO) for _, row in entries if row["object_id"] != NO_TERM
        )
        predicate = first["predicate_id"]
        if predicate not in _EQUIVALENCES:
            names = ", ".join(_EQUIVALENCES)
            raise DataError(
                f"column 'predicate_id': '{predicate}'; expected one of {names}.", path=path, line=number
            )
        at = first.get("mapping_date", "")
        yield Made(
            f"{path}:{number}",
            subject,
            text,
            Status.APPROVED,
            targets,
            _EQUIVALENCES[predicate] if targets else Equivalence.UNMATCHED,
            first.get("author_label") or first.get("author_id", ""),
            f"{at}T00:00:00+00:00" if at else "",
            first.get("comment", ""),
        )


def _mappings(path: str | Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Line and slots of the mappings that a person made."""
    columns: list[str] = []
    for number, line in read_lines(path):
        if not line or (line.startswith("#") and not columns):
            continue
        cells = next(csv.reader([line], delimiter="\t"))
        if not columns:
            columns = cells
            missing = [name for name in _NEEDED if name not in columns]
            if missing:
                raise DataError(
                    f"has no column '{missing[0]}': not an SSSOM table of mappings.", path=path, line=number
                )
            continue
        row = dict(zip(columns, cells, strict=False))
        absent = next((name for name in _NEEDED if not row.get(name)), None)
        if absent:
            raise DataError(f"has no {absent}. Expected one mapping per line.", path=path, line=number)
        if row["mapping_justification"] in _BY_A_PERSON and row.get("predicate_modifier") != "Not":
            subject = row.get("subject_id", "")
            row["subject"] = unquote(subject.removeprefix("source:"))
            row["text"] = row.get("subject_label", "")
            yield number, row
