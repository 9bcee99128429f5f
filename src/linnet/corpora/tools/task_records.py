"""The records of an annotation tool's JSON export, and their fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from linnet.corpora.json_records import json_records
from linnet.corpora.lines import preview
from linnet.corpora.reading import FileReading
from linnet.types import Document

__all__ = [
    "id_of",
    "list_field",
    "note_unread",
    "preview",
    "read_tasks",
    "text_of",
    "whole_number",
]

ReadTask = Callable[[Any, int, FileReading], Document]
"""Record, its number (from 1), its line → the document. Raises DataError for a malformed record."""


def read_tasks(reading: FileReading, read_task: ReadTask) -> Iterator[Document]:
    """A document per record of the file, in order; a malformed record is refused alone."""
    return reading.each(
        json_records(reading), lambda number, line, record: read_task(record, number, reading.on(line))
    )


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
