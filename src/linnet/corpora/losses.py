"""Content that a format cannot hold: counted while writing, then reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sized
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from linnet.types import Document, Mention

__all__ = ["Losses", "unheld"]

_NAMES = {
    "title": "title boundaries",
    "combined": "marks that concepts hold only together",
    "parts": "texts of composite parts",
    "spans": "discontinuous spans",
    "class": "mention classes",
    "id": "mention ids",
    "unannotated": "marks of documents that nobody annotated",
}
_SILENT = frozenset({"layout"})  # blank lines and the like: no content
_OF_MENTIONS = ("type", "concepts", "source", "confidence")


@dataclass(frozen=True, slots=True)
class Losses:
    """Number of items of each kind that were not written; falsy if nothing was lost."""

    counts: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any(self.counts.values())

    def __str__(self) -> str:
        return "; ".join(self.lines()) or "nothing lost"

    def lines(self) -> list[str]:
        """One line per kind, most frequent first: `12 not written: relations`."""
        ordered = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        return [f"{count:,} not written: {kind}" for kind, count in ordered if count]


def unheld(document: Document, holds: AbstractSet[str]) -> Counter[str]:
    """Number of items of a document that are not in `holds`, by kind.

    holds  fields of mentions (`type`, `concepts`, `source`, `confidence`; `mentions` for the mentions themselves), keys of
           `extra`, and formats whose extras are written back
    """
    lost = _extras(document.extra, holds)
    if "mentions" not in holds:
        lost["mentions"] += len(document.mentions)
        return lost
    for mention in document.mentions:
        for name in _OF_MENTIONS:
            if name not in holds and _is_set(mention, name):
                lost[f"{name} of mentions"] += 1
        lost += _extras(mention.extra, holds)
    return lost


def _is_set(mention: Mention, name: str) -> bool:
    value = getattr(mention, name)
    return value != "gold" if name == "source" else value is not None and value not in ("", ())


def _extras(extra: Mapping[str, Any], holds: AbstractSet[str]) -> Counter[str]:
    lost: Counter[str] = Counter()
    for key, value in extra.items():
        if key in holds or key in _SILENT:
            continue
        if key in _NAMES:
            lost[_NAMES[key]] += 1
        elif isinstance(value, Mapping):
            for inner, held in value.items():
                if inner not in _SILENT:
                    lost[f"{inner.replace('_', ' ')} ({key})"] += _size(held)
        else:
            lost[key] += _size(value)
    return lost


def _size(value: Any) -> int:
    return len(value) if isinstance(value, Sized) and not isinstance(value, (str, bytes)) else 1
