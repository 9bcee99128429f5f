"""Descriptions of fields and parameters in the API's documentation: from the docstrings of classes, and from `fields.tsv`.

A line of that file has a field, `Class.field`, or for a parameter `?name`; a tab; and its description. The line of a class comes first,
then its docstring, then the same of its bases, last a line for fields of this name in all classes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic_core import CoreSchema

__all__ = ["Described", "describe_parameters", "described_in"]

_NONE = re.compile(r"\bNone\b")
_ITEM = re.compile(r"(\w+(?:, \w+)*)\s+(\S.*)")


class Described(BaseModel):
    """A model whose schema describes each field."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The schema with the missing descriptions."""
        made = handler(schema)
        properties = handler.resolve_ref_schema(made).get("properties", {})
        texts = {name: _texts()[name] for name in properties if name in _texts()}
        for base in reversed([base for base in cls.__mro__ if issubclass(base, Described)]):
            texts |= described_in(base.__doc__ or "", properties)
            lines = {name: _texts().get(f"{base.__name__}.{name}") for name in properties}
            texts |= {name: text for name, text in lines.items() if text}
        for name, text in texts.items():
            properties[name].setdefault("description", _NONE.sub("null", text))
        return made


def describe_parameters(document: dict[str, Any]) -> dict[str, Any]:
    """An OpenAPI document with the missing descriptions of its parameters."""
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                if text := _texts().get(f"?{parameter['name']}"):
                    parameter.setdefault("description", text)
    return document


@lru_cache(maxsize=1)
def _texts() -> dict[str, str]:
    lines = Path(__file__).with_name("fields.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


def described_in(docstring: str, names: Collection[str]) -> dict[str, str]:
    """Field → its description in a class's docstring: a line that begins with its name, or with those of several divided by commas, and
    the more indented lines after it.

    >>> described_in('''A span.
    ...
    ... start, end  offsets in the
    ...             text
    ... ''', {"start", "end", "text"})
    {'start': 'offsets in the text', 'end': 'offsets in the text'}
    """
    found: dict[str, str] = {}
    here: list[str] = []
    for line in inspect.cleandoc(docstring).split("\n")[1:]:
        item = _ITEM.fullmatch(line)
        if item and all(name in names for name in item[1].split(", ")):
            here = item[1].split(", ")
            found |= dict.fromkeys(here, item[2])
        elif line.startswith(" "):
            found |= {name: f"{found[name]} {line.strip()}" for name in here}
        else:
            here = []
    return found
