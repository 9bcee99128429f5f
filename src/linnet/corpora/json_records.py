"""The records of a JSON file: one per line, an array of them, or a single one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linnet.corpora.lines import json_lines
from linnet.corpora.reading import FileReading
from linnet.formats.json_head import first_object
from linnet.io.files import read_text
from linnet.io.json import parse_json

__all__ = ["json_objects", "json_records"]

_HEAD = 1 << 16  # characters that show the layout


def json_records(reading: FileReading) -> Iterator[tuple[int, int | None, Any]]:
    """Number (from 1), line and value of each record, in order; the whole file is held in memory.

    The line is None in an array, and for a record over several lines. Invalid lines of JSON Lines are refused one by one.
    Raises DataError for an empty file and for one that is not JSON.
    """
    text = read_text(reading.path)
    if not text.strip():
        raise reading.error("is empty; expected the records of an export. Check the file.")
    shown = text[
        : max(_HEAD, text.find("\n", len(text) - len(text.lstrip())) + 1)
    ]  # with the whole first line
    head = first_object(shown, whole=len(shown) == len(text))
    if (head is None or head.layout == "lines") and "\n" in text.strip():
        yield from json_lines(text, reading)
        return
    content = parse_json(text, reading.path)
    if isinstance(content, dict) and "\n" not in text.strip():
        yield 1, 1, content
        return
    for number, record in enumerate(content if isinstance(content, list) else [content], start=1):
        yield number, None, record


def json_objects(reading: FileReading) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Line and object of each record, as `json_records`; other values are refused one by one."""
    for number, line, record in json_records(reading):
        if isinstance(record, dict):
            yield line, record
        else:
            place = reading.on(line) if line else reading.at(f"record {number}")
            reading.refuse(place.error(f"expected a JSON object, got {record!r:.60}."))
