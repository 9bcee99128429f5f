"""JSON from outside, whose objects must not have a key twice: Python keeps the last, other programs the first.

>>> loads('{"text": "gout", "text": "asthma"}')
Traceback (most recent call last):
json.decoder.JSONDecodeError: the key 'text' occurs twice in an object: line 1 column 1 (char 0)
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["loads"]


def loads(text: str | bytes) -> Any:
    """The JSON value. Raises json.JSONDecodeError for a repeated key, and as `json.loads`."""
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise json.JSONDecodeError(f"the key {repeated[:50]!r} occurs twice in an object", "", 0)
    return value
