"""What a reader left out on purpose: counted while reading, listed for people afterwards.

A malformed part goes to `refuse` (see `refusal`). A sound part that is no gold annotation, or that linnet has no place
for, goes to `note`: an annotation its tool marks as rejected, a field with an unknown meaning, an id kept unparsed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from linnet.plural import counted

__all__ = ["Note", "Notes", "ignore"]


class Note(Protocol):
    """`note(what)` counts one, `note(what, n)` counts n.

    what    a plural phrase that reads well after a number and says what became of the things counted:
            `rejected annotations, left out`
    unread  the things may be annotations, and the documents lack them: whoever believes these documents to be completely
            annotated is wrong
    """

    def __call__(self, what: str, count: int = 1, *, unread: bool = False) -> None: ...


def ignore(what: str, count: int = 1, *, unread: bool = False) -> None:
    """Count nothing: for callers that do not report."""


@dataclass(slots=True)
class Notes:
    """Collects notes: `read(path, note=notes.add)`. False while there are none; filled as documents are consumed."""

    counts: Counter[str] = field(default_factory=Counter)
    unread: set[str] = field(default_factory=set)

    def add(self, what: str, count: int = 1, *, unread: bool = False) -> None:
        """Count `what`; nothing happens for a count of 0."""
        if count:
            self.counts[what] += count
            if unread:
                self.unread.add(what)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __str__(self) -> str:
        return "; ".join(self.lines())

    def lines(self) -> list[str]:
        """One line for each kind, most frequent first: `12 rejected annotations, left out`, `1 rejected annotation, left out`."""
        ordered = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        return [counted(count, what) for what, count in ordered]
