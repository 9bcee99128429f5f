"""linnet's proposals for the rows of a mapping, in parts: a run that is interrupted goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from linnet.link.identity import identity
from linnet.link.linker import Linker
from linnet.mapping.store import Store

__all__ = ["CANDIDATES", "SILENT", "Progress", "propose", "version_of"]

CANDIDATES = 10
_TOGETHER = 2000

Progress = Callable[[int, int], None]
"""Called with how many rows are done, and of how many."""
SILENT: Progress = lambda done, total: None  # noqa: E731


def version_of(linker: Linker) -> dict[str, Any]:
    """What proposals depend on: terminologies with name, version and digest, models, pipeline."""
    names = [
        {
            "name": terminology.path.name,
            "sources": [
                {name: source[name] for name in ("name", "version", "licence") if source.get(name)}
                for source in terminology.manifest.get("sources", [])
            ],
        }
        for terminology in linker.terminologies
    ]
    return {"names": names, **identity(linker)}


def propose(store: Store, linker: Linker, *, progress: Progress = SILENT) -> int:
    """Link each row that this linker has not been asked for, as a string without context. Returns the version."""
    with store.changing():
        version = store.version(version_of(linker), datetime.now(UTC).isoformat(timespec="seconds"))
    rows = store.without_proposal(version)
    progress(0, len(rows))
    for start in range(0, len(rows), _TOGETHER):
        part = rows[start : start + _TOGETHER]
        links = linker.link([text for _, text in part], k=CANDIDATES)
        records = [(number, link.to_dict()) for (number, _), link in zip(part, links, strict=True)]
        with store.changing():
            store.put_proposals(version, records)
        progress(start + len(part), len(rows))
    return version
