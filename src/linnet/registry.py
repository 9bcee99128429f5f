"""Registries: name → "module:class", imported at first use."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from linnet.errors import UnknownNameError

__all__ = ["imported", "registered"]


def registered(registry: Mapping[str, str], name: str, what: str) -> Any:
    """The class of a name. Raises UnknownNameError with all names; `what`: kind of things in the registry."""
    if name not in registry:
        raise UnknownNameError(what, name, registry)
    return imported(registry[name])


def imported(target: str) -> Any:
    """The object at "module:attribute"."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
