"""Parents of concepts from several sources, kept free of cycles."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Hierarchy"]


class Hierarchy:
    """Parents by concept. Edges are added in order of trust; an edge that would close a cycle is refused."""

    def __init__(self) -> None:
        self._parents: dict[str, dict[str, None]] = {}

    def parents(self, id: str) -> tuple[str, ...]:
        """Parents of a concept in the order they were added."""
        return tuple(self._parents.get(id, ()))

    def is_above(self, ancestor: str, id: str) -> bool:
        """Whether `ancestor` is `id` or reachable from it through parents."""
        seen = {id}
        stack = [id]
        while stack:
            current = stack.pop()
            if current == ancestor:
                return True
            new = [parent for parent in self._parents.get(current, ()) if parent not in seen]
            seen.update(new)
            stack.extend(new)
        return False

    def trust(self, id: str, parents: Iterable[str]) -> None:
        """Add edges of a source without cycles. Call before adding those of any other source."""
        known = self._parents.setdefault(id, {})
        known.update((parent, None) for parent in parents if parent != id)

    def add(self, id: str, parent: str) -> bool:
        """Add an edge; False, without a change, if `id` is already above `parent`."""
        known = self._parents.setdefault(id, {})
        if parent not in known:
            if self.is_above(id, parent):
                return False
            known[parent] = None
        return True
