"""Integers in JSON from outside. Python takes `true` for 1, and pydantic "5" for 5; both are mistakes of the sender.

>>> integer_of(5.0)
5
>>> integer_of(True)
Traceback (most recent call last):
ValueError: got a boolean; expected a whole number
"""

from __future__ import annotations

from typing import Any

__all__ = ["integer_of", "refuse_boolean"]

_KINDS = {bool: "a boolean", str: "a string", list: "a list", dict: "an object", type(None): "null"}


def integer_of(value: Any) -> int:
    """The integer that a JSON value is, also one written as 5.0. Raises ValueError for anything else, without the value, which may
    be long or private."""
    refuse_boolean(value)
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    raise ValueError(f"got {_KINDS.get(type(value), 'a fraction')}; expected a whole number")


def refuse_boolean(value: Any) -> Any:
    """The value. Raises ValueError for a boolean: for integers that also come as strings, in the query of an address."""
    if isinstance(value, bool):
        raise ValueError(f"got {_KINDS[bool]}; expected a whole number")
    return value
