"""Lines of text and JSON Lines files; a line that is not UTF-8 or not JSON is refused alone."""

from __future__ import annotations

import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.reading import FileReading
from linnet.errors import DataError
from linnet.io.files import not_utf8, open_bytes
from linnet.io.json import parse_json

__all__ = ["decoded", "json_lines", "lines", "preview", "records"]

_UTF_16 = (BOM_UTF16_LE, BOM_UTF16_BE)


def lines(path: str | Path) -> Iterator[tuple[int, str | DataError]]:
    """Number (from 1) and text of each line without its line end, or the error for an undecodable line.

    Like `files.read_lines`, but decoding errors are yielded, not raised. A truncated gzip still raises DataError.
    """
    number = 0
    try:
        with open_bytes(path) as stream:
            for number, raw in enumerate(stream, start=1):
                if number == 1 and raw.startswith(_UTF_16):
                    raise _is_utf_16(path)
                if number == 1:
                    raw = raw.removeprefix(b"\xef\xbb\xbf")
                yield number, decoded(raw.removesuffix(b"\n").removesuffix(b"\r"), path, number)
    except DataError as error:
        raise error.again(path=path, line=number or None) from None


def decoded(raw: bytes, path: str | Path, line: int) -> str | DataError:
    """The bytes as UTF-8 text, or the decoding error as a value."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if line == 1 and raw.startswith(_UTF_16):
            return _is_utf_16(path)
        return not_utf8(error, path, line=line, skip=True)


def _is_utf_16(path: str | Path) -> DataError:
    advice = Step.CONVERT_ENCODING(encoding="utf-16")
    return DataError("is UTF-16; expected UTF-8.", advice, path=path, line=1)


def records(reading: FileReading) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of each non-blank line of a JSON Lines file; lines without an object are refused."""

    def record(number: int, line: str | DataError) -> tuple[int, dict[str, Any]]:
        if isinstance(line, DataError):
            raise line
        value = parse_json(line, reading.path, number)
        if not isinstance(value, dict):
            message = f"expected a JSON object, got {_kind(value)}. Write one object per line."
            raise reading.on(number).error(message)
        return number, value

    filled = (
        (number, line) for number, line in lines(reading.path) if not isinstance(line, str) or line.strip()
    )
    return reading.each(filled, record)


def json_lines(text: str, reading: FileReading) -> Iterator[tuple[int, int, Any]]:
    """Number (from 1), line and value of each non-blank line of a JSON Lines text; invalid lines are refused."""
    filled = ((line, row) for line, row in enumerate(text.split("\n"), start=1) if row.strip())
    rows = ((number, line, row) for number, (line, row) in enumerate(filled, start=1))
    return reading.each(rows, lambda number, line, row: (number, line, parse_json(row, reading.path, line)))


def preview(value: object) -> str:
    """The beginning of a value as JSON, for a message; Parquet may hold more than JSON can (dates, bytes)."""
    return json.dumps(value, ensure_ascii=False, default=repr)[:60]


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", int: "a number", float: "a number", bool: "true or false"}
    return names.get(type(value), "null")
