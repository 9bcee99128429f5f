"""The records of a JSON file: one per line, an array of them, or a single one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from linnet.corpora.lines import json_lines, parse_json
from linnet.corpora.reading import FileReading
from linnet.io.files import read_text

__all__ = ["json_objects", "json_records"]


def json_records(reading: FileReading) -> Iterator[tuple[int, int | None, Any]]:
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


def json_objects(reading: FileReading) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Line and object of each record, as `json_records`; other values are refused one by one."""
    for number, line, record in json_records(reading):
        if isinstance(record, dict):
            yield line, record
        else:
            place = reading.on(line) if line else reading.at(f"record {number}")
            reading.refuse(place.error(f"expected a JSON object, got {record!r:.60}."))


def _by_line(text: str) -> bool:
    """Whether the first line is a complete record and others follow."""
    first, _, rest = text.strip().partition("\n")
    if not rest.strip():
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        if first.rstrip().endswith(
            ("{", "[", ",")
        ):  # an object over several lines, as linnet writes collections
            return False
        # If the first line is damaged, the second shows whether the file is JSON Lines.
        second = rest.strip().partition("\n")[0].strip()
        return first.startswith('{"') and second.startswith('{"') and second.endswith("}")
    return True
