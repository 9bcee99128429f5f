"""The terminologies of an evaluation as one vocabulary, possibly empty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.terminology import Terminology

__all__ = ["Vocabulary"]


class Vocabulary:
    """Current ids, names and parents by id. Without terminologies, every id resolves to itself and none is known."""

    def __init__(self, terminologies: Sequence[Terminology] = ()) -> None:
        self._terminologies = list(terminologies)
        self._resolved: dict[str, tuple[str, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._terminologies)

    def resolve(self, id: str) -> tuple[str, ...]:
        """Current ids from the first terminology that knows the id; () if unknown. Without terminologies, the id itself."""
        if not self._terminologies:
            return (id,)
        current = self._resolved.get(id)
        if current is None:  # cached, as the 64 candidates per mention repeat the same ids
            current = next(
                (ids for terminology in self._terminologies if (ids := terminology.resolve(id))), ()
            )
            self._resolved[id] = current
        return current

    def known(self, id: str) -> bool:
        """Whether a terminology has this current id."""
        return any(terminology.row(id) >= 0 for terminology in self._terminologies)

    def name(self, id: str) -> str:
        """Preferred name, "" if unknown."""
        for terminology in self._terminologies:
            if (row := terminology.row(id)) >= 0:
                return terminology.name(row)
        return ""

    def parents(self, id: str) -> list[str]:
        """Distinct ids of the broader concepts in all terminologies."""
        rows = ((terminology, terminology.row(id)) for terminology in self._terminologies)
        return list(
            dict.fromkeys(
                terminology.ids[int(parent)]
                for terminology, row in rows
                if row >= 0
                for parent in terminology.parents(row)
            )
        )

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
