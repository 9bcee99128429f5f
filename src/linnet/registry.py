"""Registries: name → "module:class", imported at first use."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from linnet.errors import MismatchError, UnknownNameError

__all__ = ["REMOVED", "imported", "refuse_removed", "registered"]

REMOVED: dict[str, str] = {
    "cross-encoder": "It ranked no better than the reranker 'context'. Name 'context' or 'accurate', or train a reranker with "
    'task = "second-encoder".',
    "static": 'Train a transformer instead: task = "dual" with kind = "transformer" in [encoder].',
}
"""Kinds of models and tasks that linnet had once → what to use instead."""


def refuse_removed(what: str, kind: object) -> None:
    """Raise MismatchError with advice for one of the `REMOVED` kinds. `what`: the words before it in the message."""
    if isinstance(kind, str) and kind in REMOVED:
        raise MismatchError(f"{what} '{kind}', which linnet no longer has. {REMOVED[kind]}")


def registered(registry: Mapping[str, str], name: str, what: str) -> Any:
    """The class of a name. Raises UnknownNameError with all names; `what`: kind of things in the registry."""
    if name not in registry:
        raise UnknownNameError(what, name, registry)
    return imported(registry[name])


def imported(target: str) -> Any:
    """The object at "module:attribute"."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
