"""The records of a JSON file: one object per line, an array of objects, or a single object."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linnet.corpora.json_head import first_object
from linnet.corpora.lines import json_lines, parse_json
from linnet.corpora.refusal import Refuse
from linnet.errors import DataError
from linnet.files import read_text

__all__ = ["json_records"]


def json_records(path: str | Path, refuse: Refuse) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Line (None unless the file is JSON Lines) and object, in file order; the whole file is held in memory.

    Other values are refused one by one. Raises DataError for a file that is not JSON.
    """
    text = read_text(path)
    head = first_object(text)
    if head is not None and head.layout == "lines":
        for _, line, record in json_lines(text, path, refuse):
            if isinstance(record, dict):
                yield line, record
            else:
                refuse(DataError(f"expected a JSON object, got {record!r:.60}.", path=path, line=line))
        return
    content = parse_json(text, path)
    for number, record in enumerate(content if isinstance(content, list) else [content], start=1):
        if isinstance(record, dict):
            yield None, record
        else:
            refuse(DataError(f"record {number}: expected a JSON object, got {record!r:.60}.", path=path))
