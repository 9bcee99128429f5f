"""Tables written as TOML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["to_toml"]


def to_toml(table: Mapping[str, Any]) -> str:
    """A document that `tomllib` reads. Keys whose value is None are left out; lone surrogates become question marks."""
    import tomli_w

    return tomli_w.dumps(_without_none(table)).encode("utf-8", "replace").decode()


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    return [_without_none(item) for item in value] if isinstance(value, list | tuple) else value
