"""The records of a JSON file: one object per line, an array of objects, or a single object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linnet.corpora.json_head import first_object
from linnet.corpora.lines import json_lines, parse_json
from linnet.corpora.reading import FileReading
from linnet.files import read_text

__all__ = ["json_records"]


def json_records(reading: FileReading) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Line (None unless the file is JSON Lines) and object, in file order; the whole file is held in memory.

    Other values are refused one by one. Raises DataError for a file that is not JSON.
    """
    text = read_text(reading.path)
    head = first_object(text)
    if head is not None and head.layout == "lines":
        for _, line, record in json_lines(text, reading):
            if isinstance(record, dict):
                yield line, record
            else:
                reading.refuse(reading.on(line).error(f"expected a JSON object, got {record!r:.60}."))
        return
    content = parse_json(text, reading.path)
    for number, record in enumerate(content if isinstance(content, list) else [content], start=1):
        if isinstance(record, dict):
            yield None, record
        else:
            reading.refuse(reading.error(f"record {number}: expected a JSON object, got {record!r:.60}."))
