"""The first record of a JSON file, from its first bytes alone.

>>> first_record('{"id": 1, "text": "Gout"}\\n{"id": 2, "te')
{'id': 1, 'text': 'Gout'}
>>> first_record('[{"id": 1, "data": {"text": "Gout"}, "annotations": [{"result": [{"val')
{'id': 1, 'data': {'text': 'Gout'}, 'annotations': [{'result': [{}]}]}
>>> first_record("[Figure 1] Gout hurts.") is None
True
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["first_record"]

_CLOSING = {"{": "}", "[": "]"}


def first_record(text: str) -> Any:
    """The first object or array of a file, or of the array that the file is; None where there is none.

    text  how the file begins. What is cut off there is left out: keys without a value, and what would follow.
    """
    start = text.lstrip()
    if not start.startswith(("{", "[")):
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(start)
    except RecursionError:
        return None
    except ValueError:
        value = _completed(start)
    if isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        return value[0]
    return value if isinstance(value, (dict, list)) else None


def _completed(text: str) -> Any:
    """The value with everything behind its last whole part cut off, and closed."""
    open_ones: list[str] = []
    cut, closing = 0, ""
    inside = escaped = False
    for place, letter in enumerate(text):
        if inside:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                inside = False
            continue
        if letter == '"':
            inside = True
        elif letter in _CLOSING:
            open_ones.append(_CLOSING[letter])
            cut = place + 1
        elif letter in "}]":
            if not open_ones or open_ones.pop() != letter:
                return None
            cut = place + 1
        elif letter == ",":
            cut = place
        else:
            continue
        closing = "".join(reversed(open_ones))
    try:
        return json.loads(text[:cut] + closing)
    except (ValueError, RecursionError):
        return None
