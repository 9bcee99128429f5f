"""Import by name what a registry lists, so that a registry costs nothing until one of its entries is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["imported"]


def imported(place: str) -> Any:
    """What `module:name` names.

    >>> imported("math:gcd")(12, 18)
    6
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
