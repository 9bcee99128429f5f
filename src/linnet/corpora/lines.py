"""Lines of a text file, where one that is not UTF-8 is refused alone instead of ending the reading."""

from __future__ import annotations

import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linnet.corpora.refusal import Refuse
from linnet.errors import DataError
from linnet.files import open_bytes

__all__ = ["decoded", "lines", "parse_json", "records"]

_UTF_16 = (BOM_UTF16_LE, BOM_UTF16_BE)
_IS_UTF_16 = "is UTF-16; texts are read as UTF-8. Convert it: iconv -f utf-16 -t utf-8 FILE > NEW"


def lines(path: str | Path) -> Iterator[tuple[int, str | DataError]]:
    """Number (from 1) and text of each line without its line end, or the error that stands for it.

    As `files.read_lines`, but what cannot be decoded comes back as a value. A truncated gzip still raises DataError.
    """
    number = 0
    try:
        with open_bytes(path) as stream:
            for number, raw in enumerate(stream, start=1):
                if number == 1 and raw.startswith(_UTF_16):
                    raise DataError(_IS_UTF_16)
                if number == 1:
                    raw = raw.removeprefix(b"\xef\xbb\xbf")
                yield number, decoded(raw.removesuffix(b"\n").removesuffix(b"\r"), path, number)
    except DataError as error:
        raise DataError(error.message, path=path, line=number or None) from None


def decoded(raw: bytes, path: str | Path, line: int) -> str | DataError:
    """The bytes as UTF-8 text, or the error that says where they are not."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if line == 1 and raw.startswith(_UTF_16):
            return DataError(_IS_UTF_16, path=path, line=line)
        return DataError(
            f"not valid UTF-8 at byte {error.start} of the line (0x{raw[error.start]:02x}). "
            "Convert the file, e.g. iconv -f latin1 -t utf-8.",
            path=path,
            line=line,
        )


def records(path: str | Path, refuse: Refuse) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of each line of a JSON Lines file; blank lines are passed over, others refused."""
    for number, line in lines(path):
        if isinstance(line, DataError):
            refuse(line)
        elif line.strip():
            try:
                record = parse_json(line, path, number)
                if not isinstance(record, dict):
                    raise DataError(
                        f"expected a JSON object, got {_kind(record)}. Write one object a line.",
                        path=path,
                        line=number,
                    )
            except DataError as error:
                refuse(error)
                continue
            yield number, record


def parse_json(text: str, path: str | Path, line: int | None = None) -> Any:
    """The JSON value, or DataError naming the line; text that no UTF-8 file can hold is refused too."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        at, column = getattr(error, "lineno", 1), getattr(error, "colno", None)
        where = f" at column {column}" if column else ""
        what = getattr(error, "msg", None) or str(error) or "nested too deeply"
        raise DataError(
            f"not valid JSON{where}: {what}. Is the file complete, and of this format?",
            path=path,
            line=line or at,
        ) from None
    if "\\ud" in text.lower():
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            raise DataError(
                f"holds half a character (lone surrogate U+{ord(error.object[error.start]):04X}). "
                "Write the text as UTF-8, or the escape as a pair.",
                path=path,
                line=line,
            ) from None
    return value


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", int: "a number", float: "a number", bool: "true or false"}
    return names.get(type(value), "null")
