"""The fields of the first object of a JSON text that may be cut off.

>>> first_object('[{"id": "X:1", "names": ["a"], "x": 7')
Outline(fields={'id': 'X:1', 'names': '[', 'x': '7'}, length=None)
>>> first_object('{"id": "X:1"}')
Outline(fields={'id': 'X:1'}, length=13)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Outline", "first_object"]

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


@dataclass(frozen=True, slots=True)
class Outline:
    """The first object of a text.

    fields  field → value, "[" or "{" for a list or object
    length  in characters; None if the object is cut off
    """

    fields: dict[str, str]
    length: int | None


def first_object(text: str) -> Outline:
    """The outline of the first object in `text`; an empty outline if there is none."""
    start = text.find("{")
    fields: dict[str, str] = {}
    depth, field = 0, None
    for match in _TOKEN.finditer(text, max(start, 0)) if start >= 0 else ():
        token = match.group()
        if token in ("{", "["):
            if depth == 1 and field is not None:
                fields[field] = token
            depth += 1
        elif token in ("}", "]"):
            depth -= 1
            if depth == 0:
                return Outline(fields, match.end() - start)
        elif depth == 1 and token == ",":
            field = None
        elif depth == 1 and token != ":":
            plain = match.group(1) if match.group(1) is not None else token
            if field is None:
                field = plain
                fields[field] = ""
            else:
                fields[field] = plain
    return Outline(fields, None)
