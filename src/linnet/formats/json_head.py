"""The first object of a JSON file of any size and layout, read from its first bytes.

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
_LINES = 20  # searched for an object if the first line holds none


class JsonHead(NamedTuple):
    """How a JSON file begins.

    layout  "lines" of one object or array each (or one object on one line), "object" over several lines, or "array"
    record  the first object, possibly cut short at the end of the head; None if an array holds none
    first   the first element of an array if it is an object or array, else the array itself; otherwise the object
    is_cut  the head ends in the first object
    """

    layout: str
    record: dict[str, Any] | None
    first: Any
    is_cut: bool = False


def first_object(head: str, *, whole: bool = False) -> JsonHead | None:
    """The layout and first object of a file that begins with `head`; None if it does not begin as JSON.

    whole  the file ends there
    """
    text = head.lstrip()
    if not _BEGINS.match(text):
        return None
    if text.startswith("["):
        value = _completed(text)
        if value is None:
            return None
        first = value[0] if value and isinstance(value[0], (dict, list)) else value
        is_cut = not whole and len(value) < 2
        line, _, others = text.partition("\n")
        layout = "lines" if others.strip() and isinstance(_parsed(line), list) else "array"
        return JsonHead(layout, next((item for item in value if isinstance(item, dict)), None), first, is_cut)
    lines = [line for line in text.split("\n") if line.strip()]
    first = _parsed(lines[0])
    if isinstance(first, dict) and (first or len(lines) == 1):
        return JsonHead("lines", first, first)
    # an object over several lines begins with a line that ends so
    if not lines[0].rstrip().endswith(("{", "[", ",")):
        for line in lines[1:_LINES]:  # the first line may be damaged
            if isinstance(record := _parsed(line), dict):
                return JsonHead("lines", record, record)
    record = _completed(text)
    layout = "object" if len(lines) > 1 else "lines"
    return JsonHead(layout, record if isinstance(record, dict) else None, record, not whole)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _completed(text: str) -> Any:
    """The first value of `text`, closed after its last complete item if it is cut off; None if it is not JSON."""
    if (complete := _parsed(text)) is not None:
        return complete
    open_brackets: list[
        str
    ] = []  # no bracket follows the last safe place, so they are those to be closed there
    safe, value = 0, ""
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark == '"':
            # An unfinished string: if it is a value, an empty string stands for it, as its key is known.
            if text[: token.start()].rstrip().endswith(":"):
                safe, value = token.start(), '""'
            break
        if mark in "{[":
            open_brackets.append(_CLOSING[mark])
            safe = token.end()
        elif mark in "}]":
            if not open_brackets or open_brackets.pop() != mark:
                return None
            safe = token.end()
            if not open_brackets:
                break
        elif mark == ",":
            safe = token.start()
    return _parsed(text[:safe] + value + "".join(reversed(open_brackets)))
