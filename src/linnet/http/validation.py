"""What is wrong with the fields of a request, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

__all__ = ["summary", "wrong_fields"]


def wrong_fields(errors: Any, *, known: Sequence[str] = ()) -> dict[str, str]:
    """Dotted name of each invalid field → the first reason, without the field's value, which may be long or private.

    errors  of pydantic
    known   field names, to suggest one for a misspelt field
    """
    fields: dict[str, str] = {}
    for error in errors:
        path = [str(part) for part in error["loc"] if part not in ("body", "query", "path")]
        fields.setdefault(".".join(path) or "body", _reason(error, known))
    return fields


def summary(fields: Mapping[str, str], *, elsewhere: str = "") -> str:
    """The first of `wrong_fields` and how many more there are. elsewhere: where those are, for the reader."""
    name, reason = next(iter(fields.items()), ("body", "malformed"))
    more = f" ({len(fields) - 1} more{elsewhere})" if len(fields) > 1 else ""
    return f"{name}: {reason}{more}."


def _reason(error: Any, known: Sequence[str]) -> str:
    if error["type"] == "extra_forbidden" and known:
        near = get_close_matches(str(error["loc"][-1]), known, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        return f"There is no such field.{hint} There are: {', '.join(known)}"
    if error["type"] in ("model_type", "model_attributes_type"):
        return "Input should be an object"
    return str(error["msg"]).removeprefix("Value error, ")
