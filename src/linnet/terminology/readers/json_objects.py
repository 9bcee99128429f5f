"""Typed values of the objects of JSON; a DataError for anything unexpected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from linnet.errors import DataError

__all__ = ["inner", "objects", "text"]


def inner(holder: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under a key; empty if missing."""
    value = holder.get(key) or {}
    if not isinstance(value, dict):
        raise _unexpected(key, value, "an object")
    return value


def objects(holder: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The list of objects under a key; empty if missing."""
    value = holder.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _unexpected(key, value, "a list of objects")
    return value


def text(holder: Mapping[str, Any], key: str) -> str:
    """The string (or number, as a string) under a key; empty if missing."""
    value = holder.get(key)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise _unexpected(key, value, "a string")
    return str(value)


def _unexpected(key: str, value: object, expected: str) -> DataError:
    return DataError(f"'{key}' holds {json.dumps(value)[:40]}; expected {expected}. Fetch the file again.")
