"""Registries: names, each with the "module:class" that it stands for, imported when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from linnet.errors import UnknownNameError

__all__ = ["imported", "registered"]


def registered(registry: Mapping[str, str], name: str, what: str) -> Any:
    """The class of a name. Raises UnknownNameError, which lists the names of this kind of thing, `what`."""
    if name not in registry:
        raise UnknownNameError(what, name, registry)
    return imported(registry[name])


def imported(target: str) -> Any:
    """What "module:attribute" stands for."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
