"""The first object of a JSON file, read from its first bytes, whatever the file's size and layout.

>>> first_object('{"id": 1, "text": "gout"}\\n{"id": 2').layout
'lines'
>>> first_object('[{"id": 1, "spans": [[0, 4], [5').record
{'id': 1, 'spans': [[0, 4], []]}
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

__all__ = ["JsonHead", "first_object"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|["{}\[\],]', re.DOTALL)
_BEGINS = re.compile(r"""\{\s*["}]|\[\s*[{\["\]]""")
_CLOSING = {"{": "}", "[": "]"}
_LINES = 20  # looked at for an object where the first line holds none


class JsonHead(NamedTuple):
    """How a JSON file begins.

    layout  "lines" of one object each (or one object on one line), "object" over several lines, or "array"
    record  the first object, cut short where the head ends; None where the array holds none
    first   the first element of an array, the array itself where that is no object or array; else the object
    """

    layout: str
    record: dict[str, Any] | None
    first: Any


def first_object(head: str) -> JsonHead | None:
    """The layout and first object of a file that begins with `head`; None where it does not begin as JSON."""
    text = head.lstrip()
    if not _BEGINS.match(text):
        return None
    if text.startswith("["):
        value = _completed(text)
        if value is None:
            return None
        first = value[0] if value and isinstance(value[0], (dict, list)) else value
        return JsonHead("array", next((item for item in value if isinstance(item, dict)), None), first)
    lines = [line for line in text.split("\n") if line.strip()]
    first = _parsed(lines[0])
    if isinstance(first, dict) and (first or len(lines) == 1):
        return JsonHead("lines", first, first)
    if (
        not lines[0].rstrip().endswith(("{", "[", ","))
    ):  # as the first line of what goes on over several lines does
        for line in lines[1:_LINES]:  # the first one may be damaged
            if isinstance(record := _parsed(line), dict):
                return JsonHead("lines", record, record)
    record = _completed(text)
    layout = "object" if len(lines) > 1 else "lines"
    return JsonHead(layout, record if isinstance(record, dict) else None, record)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _completed(text: str) -> Any:
    """The first value of `text`, with what is open at its end closed behind the last complete part; None if it is not JSON."""
    open_brackets: list[str] = []
    safe, closing = 0, ""
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark == '"':
            # A string that has no end here: of a value the key is known, so an empty string stands for it.
            if text[: token.start()].rstrip().endswith(":"):
                safe, closing = token.start(), '""' + "".join(reversed(open_brackets))
            break
        if mark in "{[":
            open_brackets.append(_CLOSING[mark])
            safe = token.end()
        elif mark in "}]":
            if not open_brackets or open_brackets.pop() != mark:
                return None
            safe = token.end()
        elif mark == ",":
            safe = token.start()
        else:
            continue
        closing = "".join(reversed(open_brackets))
        if not open_brackets:
            break
    return _parsed(text[:safe] + closing)
