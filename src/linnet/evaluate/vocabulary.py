"""What evaluation asks of the terminologies linked against, several taken as one; or of none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.terminology import Terminology

__all__ = ["Vocabulary"]


class Vocabulary:
    """Ids, names and parents by id. Without terminologies every id stands for itself and nothing is known."""

    def __init__(self, terminologies: Sequence[Terminology] = ()) -> None:
        self._terminologies = list(terminologies)
        self._resolved: dict[str, tuple[str, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._terminologies)

    def resolve(self, id: str) -> tuple[str, ...]:
        """Current ids, from the first terminology that knows the id; itself without terminologies, () when unknown."""
        if not self._terminologies:
            return (id,)
        found = self._resolved.get(id)
        if found is None:  # remembered: 64 candidates a mention name the same ids again and again
            found = next((now for terminology in self._terminologies if (now := terminology.resolve(id))), ())
            self._resolved[id] = found
        return found

    def known(self, id: str) -> bool:
        """Whether a terminology has this current id."""
        return any(terminology.row(id) >= 0 for terminology in self._terminologies)

    def name(self, id: str) -> str:
        """Preferred name, "" when unknown."""
        for terminology in self._terminologies:
            if (row := terminology.row(id)) >= 0:
                return terminology.name(row)
        return ""

    def parents(self, id: str) -> list[str]:
        """Ids of the broader concepts in all terminologies, each once."""
        found: dict[str, None] = {}
        for terminology in self._terminologies:
            if (row := terminology.row(id)) >= 0:
                found.update(
                    dict.fromkeys(terminology.ids[int(parent)] for parent in terminology.parents(row))
                )
        return list(found)

    def provenance(self) -> list[dict[str, Any]]:
        """Name, digest, sources and counts of each terminology."""
        return [
            {
                "name": terminology.path.name,
                "digest": terminology.digest,
                "sources": terminology.manifest.get("sources", []),
                "counts": terminology.manifest.get("counts", {}),
            }
            for terminology in self._terminologies
        ]
