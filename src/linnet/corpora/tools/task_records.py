"""The records of a JSON export: an array, one object per line, or a single object."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from linnet.corpora.lines import json_lines, parse_json, preview
from linnet.corpora.reading import FileReading
from linnet.files import read_text
from linnet.types import Document

__all__ = [
    "id_of",
    "list_field",
    "note_unread",
    "preview",
    "read_tasks",
    "task_records",
    "text_of",
    "whole_number",
]

ReadTask = Callable[[Any, int, FileReading], Document]
"""Record, its number (from 1), its line → the document. Raises DataError for a malformed record."""


def read_tasks(reading: FileReading, read_task: ReadTask) -> Iterator[Document]:
    """A document per record of the file, in order; a malformed record is refused alone."""
    return reading.each(
        task_records(reading), lambda number, line, record: read_task(record, number, reading.on(line))
    )


def task_records(reading: FileReading) -> Iterator[tuple[int, int | None, Any]]:
    """Number (from 1), line and value of each record, in order; the whole file is held in memory.

    The line is None in an array, and for a record over several lines. Invalid lines of JSON Lines are refused one by one.
    Raises DataError for an empty file and for one that is not JSON.
    """
    text = read_text(reading.path)
    if not text.strip():
        raise reading.error("is empty; expected the records of an export. Check the file.")
    if _by_line(text):
        yield from json_lines(text, reading)
        return
    content = parse_json(text, reading.path)
    if isinstance(content, dict) and "\n" not in text.strip():
        yield 1, 1, content
        return
    for number, record in enumerate(content if isinstance(content, list) else [content], start=1):
        yield number, None, record


def text_of(record: Any, names: tuple[str, ...], reading: FileReading) -> str:
    """The first of these fields that holds a string. Raises DataError with the existing fields."""
    if not isinstance(record, dict):
        raise reading.error(f"expected an object, got {preview(record)}.")
    for name in names:
        if isinstance(record.get(name), str):
            text: str = record[name]
            return text
    fields = ", ".join(map(repr, record)) or "none"
    expected = " or ".join(map(repr, names))
    raise reading.error(f"expected a text in {expected}, got the fields {fields}.")


def id_of(record: Mapping[str, Any], number: int) -> str:
    """The record's id, by default its number."""
    return str(record["id"]) if isinstance(record.get("id"), (str, int)) else str(number)


def list_field(record: Mapping[str, Any], name: str, reading: FileReading) -> list[Any]:
    """A field that must be a list; empty if it is absent or null."""
    value = record.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise reading.error(f"expected a list in '{name}', got {preview(value)}.")
    return value


def whole_number(value: Any, name: str, reading: FileReading) -> int:
    """The value as a whole number; 3.0 counts. Raises DataError for anything else."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if type(value) is not int:
        raise reading.error(f"expected a whole number in '{name}', got {preview(value)}.")
    return value


def note_unread(fields: Mapping[str, Any], reading: FileReading) -> None:
    """Note unknown fields that look like annotations: lists of objects or of lists, except relations."""
    for name, value in fields.items():
        if (
            name != "relations"
            and isinstance(value, list)
            and value
            and all(isinstance(item, (dict, list)) for item in value)
        ):
            reading.note(f"records with a list in '{name}', which is not read as annotations")


def _by_line(text: str) -> bool:
    """Whether the first line is a complete record and others follow."""
    first, _, rest = text.strip().partition("\n")
    if not rest.strip():
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        # If the first line is damaged, the second shows whether the file is JSON Lines.
        second = rest.strip().partition("\n")[0].strip()
        return first.startswith('{"') and second.startswith('{"') and second.endswith("}")
    return True
