"""The records of a JSON file: one object a line, an array of them, or a single one over several lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linnet.corpora.json_head import first_object
from linnet.corpora.lines import parse_json
from linnet.corpora.refusal import Refuse
from linnet.errors import DataError
from linnet.files import read_text

__all__ = ["json_records"]


def json_records(path: str | Path, refuse: Refuse) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Line (None where records are not laid out by lines) and object, in file order; the file is read whole.

    Values that are no objects are refused one by one. Raises DataError for a file that is no JSON.
    """
    text = read_text(path)
    head = first_object(text)
    if head is not None and head.layout == "lines":
        for line, row in enumerate(text.split("\n"), start=1):
            if row.strip():
                try:
                    record = parse_json(row, path, line)
                    if not isinstance(record, dict):
                        raise DataError(f"expected a JSON object, got {record!r:.60}.", path=path, line=line)
                except DataError as error:
                    refuse(error)
                else:
                    yield line, record
        return
    content = parse_json(text, path)
    for number, record in enumerate(content if isinstance(content, list) else [content], start=1):
        if isinstance(record, dict):
            yield None, record
        else:
            refuse(DataError(f"record {number}: expected a JSON object, got {record!r:.60}.", path=path))
