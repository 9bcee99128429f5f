"""JSON from outside. An object that has a key twice is refused: Python keeps the last, other programs the first.

>>> loads('{"text": "gout", "text": "asthma"}')
Traceback (most recent call last):
json.decoder.JSONDecodeError: the key 'text' occurs twice in an object: line 1 column 1 (char 0)
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from linnet.errors import DataError

__all__ = ["loads", "parse_json"]

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str, path: str | Path, line: int | None = None, *, repeated: bool = False) -> Any:
    """The JSON value of a text; `line`: its first. repeated: an object may have a key twice, the last counts.

    Raises DataError with the line for invalid JSON and for text that UTF-8 cannot encode.
    """
    try:
        value = json.loads(text) if repeated else loads(text)
    except (ValueError, RecursionError) as error:
        at, column = getattr(error, "lineno", 1), getattr(error, "doc", "") and getattr(error, "colno", None)
        where = f" at column {column}" if column else ""
        what = getattr(error, "msg", None) or str(error) or "nested too deeply"
        message = f"not valid JSON{where}: {what}. Is the file complete, and of this format?"
        raise DataError(message, path=path, line=(line or 1) + at - 1) from None
    if _SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            raise DataError(
                f"contains half a character (lone surrogate U+{ord(error.object[error.start]):04X}). "
                "Write the text as UTF-8, or the escape as a pair.",
                path=path,
                line=line,
            ) from None
    return value


def loads(text: str | bytes) -> Any:
    """The JSON value. Raises json.JSONDecodeError for a repeated key, and as `json.loads`."""
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for position, key in enumerate(keys) if key in keys[:position])
        raise json.JSONDecodeError(f"the key {repeated[:50]!r} occurs twice in an object", "", 0)
    return value
