"""Differences between two releases of a terminology."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from linnet.terminology.store import Terminology

__all__ = ["Difference", "diff"]

Lists = dict[str, tuple[str, ...]]

# Sorts after every id.
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Difference:
    """Changes from an old release to a new one, in the order of ids.

    added            ids that only the new release has
    removed          ids unknown to the new release
    retired          id → ids that replaced it
    renamed          id → old and new preferred name
    names_added      id → names it gained       names_removed    id → names it lost
    parents_added    id → parents it gained     parents_removed  id → parents it lost

    Names and parents are compared as written, for concepts that both releases have.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    retired: Lists = field(default_factory=dict)
    renamed: dict[str, tuple[str, str]] = field(default_factory=dict)
    names_added: Lists = field(default_factory=dict)
    names_removed: Lists = field(default_factory=dict)
    parents_added: Lists = field(default_factory=dict)
    parents_removed: Lists = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any(self.counts().values())

    def counts(self) -> dict[str, int]:
        """Kind of change → number of concepts."""
        kinds = ("added", "removed", "retired", "renamed", "names_added", "names_removed")
        counts = {kind: len(getattr(self, kind)) for kind in kinds}
        return {**counts, "parents_changed": len(self.parents_added.keys() | self.parents_removed.keys())}

    def records(self) -> Iterator[dict[str, Any]]:
        """One dictionary per change, with `change` and `concept`, for JSON Lines."""
        for id in self.added:
            yield {"change": "added", "concept": id}
        for id in self.removed:
            yield {"change": "removed", "concept": id}
        for id, new in self.retired.items():
            yield {"change": "retired", "concept": id, "replaced_by": list(new)}
        for id, (before, after) in self.renamed.items():
            yield {"change": "renamed", "concept": id, "from": before, "to": after}
        for kind in ("names", "parents"):
            gained, lost = getattr(self, f"{kind}_added"), getattr(self, f"{kind}_removed")
            for id in sorted(gained.keys() | lost.keys()):
                yield {
                    "change": kind,
                    "concept": id,
                    "added": list(gained.get(id, ())),
                    "removed": list(lost.get(id, ())),
                }


def diff(old: Terminology, new: Terminology) -> Difference:
    """Compare two releases concept by concept, in one pass as both are sorted by id."""
    added: list[str] = []
    removed: list[str] = []
    difference = Difference()
    before = after = 0
    while before < len(old) or after < len(new):
        left = old.ids[before] if before < len(old) else _LAST
        right = new.ids[after] if after < len(new) else _LAST
        if left == right:
            _compare(difference, left, old, before, new, after)
        elif right < left:
            added.append(right)
        elif replacements := new.resolve(left):
            difference.retired[left] = replacements
        else:
            removed.append(left)
        before, after = before + (left <= right), after + (right <= left)
    return replace(difference, added=tuple(added), removed=tuple(removed))


def _compare(
    difference: Difference, id: str, old: Terminology, before: int, new: Terminology, after: int
) -> None:
    names = old.names.take(old.name_rows(before)), new.names.take(new.name_rows(after))
    if names[0] != names[1]:
        if names[0][0] != names[1][0]:
            difference.renamed[id] = (names[0][0], names[1][0])
        _record(difference.names_added, difference.names_removed, id, *names)
    parents = (
        [old.ids[row] for row in old.parents(before)],
        [new.ids[row] for row in new.parents(after)],
    )
    _record(difference.parents_added, difference.parents_removed, id, *parents)


def _record(gained: Lists, lost: Lists, id: str, before: list[str], after: list[str]) -> None:
    more = tuple(text for text in after if text not in before)
    fewer = tuple(text for text in before if text not in after)
    if more:
        gained[id] = more
    if fewer:
        lost[id] = fewer
