"""linnet maps the names people write for diseases, drugs and phenotypes to concepts of a terminology.

import linnet

linker = linnet.load("medic/")                       # or linnet.starter()
linker.link(["heart attack", "type II diabetes"])    # list[Link]
linker.annotate("Patients with AT developed …")      # Document with linked mentions
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` has the same, and would be the slowest import here
if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path
    from typing import Any

    from linnet.errors import LinnetError
    from linnet.link import Linker
    from linnet.terminology import Terminology
    from linnet.types import Candidate, Concept, Document, Link, Mention

__all__ = [
    "Candidate",
    "Concept",
    "Document",
    "Link",
    "Linker",
    "LinnetError",
    "Mention",
    "Terminology",
    "load",
    "starter",
]

__version__ = "0.1.0"

# Imported when first asked for: `import linnet` itself loads nothing.
_LATER = {
    "Candidate": "linnet.types",
    "Concept": "linnet.types",
    "Document": "linnet.types",
    "Link": "linnet.types",
    "Linker": "linnet.link",
    "LinnetError": "linnet.errors",
    "Mention": "linnet.types",
    "Terminology": "linnet.terminology",
}


def load(
    *terminologies: str | Path,
    types: Collection[str] | None = None,
    sources: Collection[str] | None = None,
    allow: Collection[str] | None = None,
    deny: Collection[str] = (),
    threads: int | None = None,
) -> Linker:
    """A linker for compiled terminologies, with the indexes of the first one's default pipeline.

    types, sources, allow, deny  restrict the concepts, see `Terminology.select`
    threads                      for retrieval; all cores if None

    Raises StoreError and its kin when a terminology or index cannot be used; the message says what to run.
    """
    from linnet.link import Linker

    return Linker.open(terminologies, types=types, sources=sources, allow=allow, deny=deny, threads=threads)


def starter() -> Linker:
    """A linker for the small packaged terminology: to try linnet before fetching a real one."""
    from linnet.link.starting import starter_terminology

    return load(starter_terminology())


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'linnet' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(globals().keys() | _LATER.keys())
