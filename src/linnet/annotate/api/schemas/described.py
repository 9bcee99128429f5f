"""Descriptions of fields and parameters in the API's documentation, from `fields.tsv`.

A line of that file has `Class.field`, a field of any class, or for a parameter `?name`; a tab; and the description. The line of a class
comes before those of its bases, and these before that of any class.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic_core import CoreSchema

__all__ = ["Described", "describe_parameters"]


class Described(BaseModel):
    """A model whose schema describes each field."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The schema with the missing descriptions."""
        made = handler(schema)
        for name, field in handler.resolve_ref_schema(made).get("properties", {}).items():
            keys = [*(f"{base.__name__}.{name}" for base in cls.__mro__), name]
            if text := next((_texts()[key] for key in keys if key in _texts()), ""):
                field.setdefault("description", text)
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
