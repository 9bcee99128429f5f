"""SNOMED CT as it is released: RF2 snapshot files below a directory, international or national.

Source: SNOMED CT Release File Specification, chapters 4 and 5; the ids are those of its metadata concepts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from linnet.errors import DataError
from linnet.folders import files_below
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entry
from linnet.terminology.readers.options import DEFAULTS, ReadOptions
from linnet.terminology.readers.rows import named_rows
from linnet.types import Concept

__all__ = ["read_rf2"]

_FULL_NAME = "900000000000003001"
_IS_A = "116680003"
_PREFERRED = "900000000000548007"
_US_ENGLISH = "900000000000509007"
# Historical associations, surest first: REPLACED BY, SAME AS; then POSSIBLY EQUIVALENT TO, ALTERNATIVE.
_SUCCESSORS = (
    {"900000000000526001", "900000000000527005"},
    {"900000000000523009", "900000000000530003"},
)
_TAG = re.compile(r"^(.*\S)\s+\(([^()]+)\)$")


def read_rf2(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Active concepts `SNOMEDCT:…` in the order of the file, then inactive ones as retired ids of their successors.

    Preferred is the synonym that the US English language refset prefers, else that of any refset, else the fully
    specified name, whose semantic tag becomes the type ("disorder"). `languages` defaults to {"en"}. Parents are
    the inferred is-a relationships. An inactive concept without successor is left out, unless `suppressed`.
    Raises DataError where there is no snapshot of concepts and descriptions, or a row has the wrong width.
    """
    active: dict[str, bool] = {}
    for file in _files(path, "sct2_Concept", required=True):
        for number, (id, flag) in named_rows(file, ("id", "active"), options):
            if not id.isdigit() or flag not in ("0", "1"):
                options.malformed(f"id '{id}', active '{flag}': expected numbers.", path=file, line=number)
                continue
            active[id] = flag == "1"
    rank = _preferences(path, options)
    names, types = _names(path, options, rank)
    definitions = _definitions(path, options)
    parents: dict[str, list[str]] = {}
    for file in _files(path, "sct2_Relationship"):
        columns = ("active", "sourceId", "destinationId", "typeId")
        for _, (flag, child, parent, type) in named_rows(file, columns, options):
            if flag == "1" and type == _IS_A:
                parents.setdefault(child, []).append(f"SNOMEDCT:{parent}")
    for id, live in active.items():
        if live or options.suppressed:
            yield Entry(
                f"SNOMEDCT:{id}",
                names=[name for _, _, name in sorted(names.get(id, ()))],
                types=types.get(id, []),
                definition=definitions.get(id, ""),
                parents=parents.get(id, []),
            ).concept()
    if not options.suppressed:
        for id, targets in _successors(path, options).items():
            if not active.get(id, True):
                yield Entry(
                    f"SNOMEDCT:{id}", replaced_by=[f"SNOMEDCT:{target}" for target in targets]
                ).concept()


def _files(path: Path, start: str, *, required: bool = False) -> list[Path]:
    """Snapshot files whose name starts so (national and beta releases put an "x" before), in order of their names."""
    top = path if path.is_dir() else path.parent
    pattern = re.compile(rf"x?{start}_?Snapshot[\w-]*\.txt(\.gz)?", re.IGNORECASE)
    found = sorted(files_below(top, named=lambda name: bool(pattern.fullmatch(name))))
    if required and not found:
        raise DataError(
            f"no {start}_Snapshot….txt below it. Give the release directory with the Snapshot files.",
            path=path,
        )
    return found


def _preferences(path: Path, options: ReadOptions) -> dict[str, int]:
    """Description → 0 where US English prefers it, 1 where another refset does."""
    rank: dict[str, int] = {}
    for file in _files(path, "der2_cRefset_Language"):
        columns = ("active", "refsetId", "referencedComponentId", "acceptabilityId")
        for _, (flag, refset, description, acceptability) in named_rows(file, columns, options):
            if flag == "1" and acceptability == _PREFERRED:
                rank[description] = min(rank.get(description, 1), int(refset != _US_ENGLISH))
    return rank


def _names(
    path: Path, options: ReadOptions, rank: dict[str, int]
) -> tuple[dict[str, list[tuple[int, int, str]]], dict[str, list[str]]]:
    """Names of each concept with what orders them, and its semantic tags."""
    languages = options.languages or {"en"}
    names: dict[str, list[tuple[int, int, str]]] = {}
    types: dict[str, list[str]] = {}
    columns = ("id", "active", "conceptId", "languageCode", "typeId", "term")
    for file in _files(path, "sct2_Description", required=True):
        for number, (id, flag, concept, language, type, term) in named_rows(file, columns, options):
            if language not in languages or (flag != "1" and not options.suppressed):
                continue
            text, place = clean(term), rank.get(id, 2)
            if type == _FULL_NAME:
                tagged = _TAG.match(text)
                place = 3
                if tagged:
                    text = tagged.group(1)
                    types.setdefault(concept, []).append(tagged.group(2))
            names.setdefault(concept, []).append((place, number, text))
    return names, types


def _definitions(path: Path, options: ReadOptions) -> dict[str, str]:
    languages = options.languages or {"en"}
    definitions: dict[str, str] = {}
    for file in _files(path, "sct2_TextDefinition"):
        columns = ("active", "conceptId", "languageCode", "term")
        for _, (flag, concept, language, term) in named_rows(file, columns, options):
            if flag == "1" and language in languages:
                definitions.setdefault(concept, clean(term))
    return definitions


def _successors(path: Path, options: ReadOptions) -> dict[str, list[str]]:
    """Concept → its surest successors."""
    found: tuple[dict[str, list[str]], ...] = ({}, {})
    for file in (
        *_files(path, "der2_cRefset_Association"),
        *_files(path, "der2_cRefset_AssociationReference"),
    ):
        columns = ("active", "refsetId", "referencedComponentId", "targetComponentId")
        for _, (flag, refset, old, new) in named_rows(file, columns, options):
            for associations, kinds in zip(found, _SUCCESSORS, strict=True):
                if flag == "1" and refset in kinds:
                    associations.setdefault(old, []).append(new)
    return {**found[1], **found[0]}
