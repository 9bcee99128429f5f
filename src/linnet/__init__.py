"""linnet maps the names people write for diseases, drugs and phenotypes to concepts of a terminology.

import linnet

linker = linnet.load("medic/")                       # or linnet.starter()
linker.link(["heart attack", "type II diabetes"])    # list[Link]
linker.annotate("Patients with AT developed …")      # Document with linked mentions
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` has the same, and would be the slowest import here
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, Unpack

    from linnet.errors import LinnetError
    from linnet.link import Linker
    from linnet.link.linker_config import LinkerOptions
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
    "open_terminology",
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


def load(*terminologies: str | Path, **options: Unpack[LinkerOptions]) -> Linker:
    """A linker for compiled terminologies, in order of precedence; "starter" is the small packaged one.

    options are fields of the pipeline that differ from the one the first terminology's manifest asks for, and restrictions:

    retrievers        indexes to search, in order of trust: ["exact", "dense"]
    encoder           name or directory of the encoder that the dense index was built with
    reranker          name or directory of what reorders the candidates; None for nothing
    recogniser        name or directory of what finds mentions in text: "dictionary", "recogniser"
    learned           folder of what a project of `linnet annotate` has learnt with the terminology
    min_probability   links less probable are NIL
    concept_types, sources, allow, deny  restrict the concepts: semantic types, vocabularies, ids
    threads           for retrieval and reranking; all cores if left out. Results do not depend on it

    Every other field of `linnet.link.Pipeline` is an option too. Raises StoreError and its kin when a terminology, index or
    model cannot be used, UnknownNameError for an unknown option, RequestError where options do not fit; messages say what
    to do.

    >>> import linnet
    >>> linker = linnet.load("starter", concept_types=["Disease"], threads=1)
    >>> linker.link(["heart attack"])[0].name
    'Myocardial Infarction'
    """
    from linnet.link.linker_config import LinkerConfig

    return LinkerConfig.of(terminologies, options).open()


def starter() -> Linker:
    """A linker for the small packaged terminology: to try linnet before fetching a real one."""
    return load("starter")


def open_terminology(path: str | Path) -> Terminology:
    """Open a compiled terminology, to look concepts up. Raises StoreError and its kin where there is none.

    >>> import linnet
    >>> from linnet.link.starter import starter_terminology
    >>> terminology = linnet.open_terminology(starter_terminology())
    >>> terminology["MESH:D003920"].name
    'Diabetes Mellitus'
    >>> "MESH:D003920" in terminology
    True
    >>> terminology.search("diabetes mell")[0].id
    'MESH:D003920'
    """
    from linnet.terminology import Terminology

    return Terminology.open(path)


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'linnet' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(globals().keys() | _LATER.keys())
