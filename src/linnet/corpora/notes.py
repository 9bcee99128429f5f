"""Items that a reader leaves out on purpose: counted while reading, then reported.

Malformed items go to `refuse` (see `refusal`). Valid items that are not gold annotations, or that linnet cannot represent,
go to `note`: a rejected annotation, a field of unknown meaning, an unparsed id.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from linnet.plural import counted

__all__ = ["Note", "Notes", "ignore"]


class Note(Protocol):
    """`note(what)` counts one item, `note(what, n)` counts n.

    what    a plural phrase to follow a number, with what happened to the items: `rejected annotations, left out`
    unread  the items may be annotations that the documents now lack, so the documents may not be completely annotated
    """

    def __call__(self, what: str, count: int = 1, *, unread: bool = False) -> None: ...


def ignore(what: str, count: int = 1, *, unread: bool = False) -> None:
    """Count nothing, for callers that do not report."""


@dataclass(slots=True)
class Notes:
    """Collects notes while documents are consumed: `read(path, note=notes.add)`. Falsy without notes."""

    counts: Counter[str] = field(default_factory=Counter)
    unread: set[str] = field(default_factory=set)

    def add(self, what: str, count: int = 1, *, unread: bool = False) -> None:
        """Count `what`, unless the count is 0."""
        if count:
            self.counts[what] += count
            if unread:
                self.unread.add(what)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __str__(self) -> str:
        return "; ".join(self.lines())

    def lines(self) -> list[str]:
        """One line per kind, most frequent first: `12 rejected annotations, left out`, `1 rejected annotation, left out`."""
        ordered = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        return [counted(count, what) for what, count in ordered]
