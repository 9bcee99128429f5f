"""The records of a JSON export: an array of them, one object a line, or a single one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from linnet.corpora.lines import parse_json
from linnet.corpora.notes import Note
from linnet.corpora.refusal import Refuse
from linnet.errors import DataError
from linnet.files import read_text
from linnet.types import Document

__all__ = ["listed", "note_unread", "read_tasks", "shown", "task_records", "text_of", "whole_number"]

Line = int | None
Record = dict[str, Any]
ReadTask = Callable[[Any, int, str | Path, Line, Refuse, Note], Document]
"""Record, its number, path, line, refuse, note → the document; raises DataError for one that cannot be read."""


def read_tasks(path: str | Path, read_task: ReadTask, *, refuse: Refuse, note: Note) -> Iterator[Document]:
    """A document for each record of the file, in order; a record that cannot be read is refused alone."""
    for number, line, record in task_records(path, refuse):
        try:
            document = read_task(record, number, path, line, refuse, note)
        except DataError as error:
            refuse(error)
        else:
            yield document


def task_records(path: str | Path, refuse: Refuse) -> Iterator[tuple[int, Line, Any]]:
    """Number (from 1), line and value of each record, in order; the file is read whole.

    The line is None in an array, and for a record over several lines. Lines that are not JSON are refused one by one.
    Raises DataError for a file that is neither.
    """
    text = read_text(path)
    if not text.strip():
        raise DataError("is empty; expected the records of an export. Check the file.", path=path)
    if _by_line(text):
        number = 0
        for line, row in enumerate(text.split("\n"), start=1):
            if row.strip():
                number += 1
                try:
                    record = parse_json(row, path, line)
                except DataError as error:
                    refuse(error)
                    continue
                yield number, line, record
        return
    content = parse_json(text, path)
    if isinstance(content, dict) and "\n" not in text.strip():
        yield 1, 1, content
        return
    for number, record in enumerate(content if isinstance(content, list) else [content], start=1):
        yield number, None, record


def text_of(record: Any, names: tuple[str, ...], path: str | Path, line: Line, where: str) -> str:
    """The first of the fields that is there, which must be a string. Raises DataError that lists the fields."""
    if not isinstance(record, dict):
        raise DataError(f"{where}: expected an object, got {shown(record)}.", path=path, line=line)
    for name in names:
        if isinstance(record.get(name), str):
            text: str = record[name]
            return text
    fields = ", ".join(map(repr, record)) or "none"
    wanted = " or ".join(map(repr, names))
    raise DataError(f"{where}: expected a text in {wanted}, got the fields {fields}.", path=path, line=line)


def listed(record: Mapping[str, Any], name: str, path: str | Path, line: Line, where: str) -> list[Any]:
    """A field that must be a list; empty where it is absent or null."""
    value = record.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise DataError(f"{where}: expected a list in '{name}', got {shown(value)}.", path=path, line=line)
    return value


def whole_number(value: Any, name: str, path: str | Path, line: Line, where: str) -> int:
    """A whole number; 3.0 is one. Raises DataError for anything else."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if type(value) is not int:
        raise DataError(
            f"{where}: expected a whole number in '{name}', got {shown(value)}.", path=path, line=line
        )
    return value


def note_unread(fields: Mapping[str, Any], note: Note) -> None:
    """Note the fields without a known meaning that look like annotations: lists of objects or of lists, but for relations."""
    for name, value in fields.items():
        if (
            name != "relations"
            and isinstance(value, list)
            and value
            and all(isinstance(item, (dict, list)) for item in value)
        ):
            note(f"records with a list in '{name}', which is not read as annotations")


def shown(value: Any) -> str:
    """The beginning of a value, for a message."""
    return json.dumps(value, ensure_ascii=False, default=repr)[:60]


def _by_line(text: str) -> bool:
    """Whether the first line is a whole record and others follow."""
    first, _, rest = text.strip().partition("\n")
    if not rest.strip():
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        # A damaged first line of JSON Lines is told from an array or object over several lines by the second.
        second = rest.strip().partition("\n")[0].strip()
        return first.startswith('{"') and second.startswith('{"') and second.endswith("}")
    return True
