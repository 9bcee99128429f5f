"""Parents of concepts, kept free of cycles while those of several sources are put together."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Hierarchy"]


class Hierarchy:
    """Who is above whom. Edges are added in order of trust; one that would close a cycle is refused."""

    def __init__(self) -> None:
        self._parents: dict[str, dict[str, None]] = {}

    def parents(self, id: str) -> tuple[str, ...]:
        """Parents of a concept in the order they were added."""
        return tuple(self._parents.get(id, ()))

    def is_above(self, ancestor: str, id: str) -> bool:
        """Whether `ancestor` is `id` itself or can be reached from it through parents."""
        seen = {id}
        waiting = [id]
        while waiting:
            current = waiting.pop()
            if current == ancestor:
                return True
            new = [parent for parent in self._parents.get(current, ()) if parent not in seen]
            seen.update(new)
            waiting.extend(new)
        return False

    def trust(self, id: str, parents: Iterable[str]) -> None:
        """Add edges of a source that is free of cycles by itself, before those of any other."""
        known = self._parents.setdefault(id, {})
        known.update((parent, None) for parent in parents if parent != id)

    def add(self, id: str, parent: str) -> bool:
        """Add an edge; false, and nothing changed, when `id` is above `parent` already."""
        known = self._parents.setdefault(id, {})
        if parent not in known:
            if self.is_above(id, parent):
                return False
            known[parent] = None
        return True
