"""linnet maps the names people write for diseases, drugs and phenotypes to concepts of a terminology.

import linnet

linker = linnet.load("medic/")                       # or linnet.starter()
linker.link(["heart attack", "type II diabetes"])    # list[Link]
linker.annotate("Patients with AT developed …")      # Document with linked mentions
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` would be the slowest import here
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

# Imported at first use: `import linnet` itself loads nothing.
_LAZY = {
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

    options are restrictions, and fields of the pipeline that differ from the one in the first terminology's manifest:

    retrievers        indexes to search, most trusted first: ["exact", "dense"]
    encoder           name or folder of the encoder that the dense index was built with
    reranker          name or folder of the model that reorders the candidates; None: do not rerank
    recogniser        name or folder of the recogniser of mentions: "dictionary", "recogniser"
    learned           folder of a version of what a project of `linnet annotate` has learnt
    min_probability   less probable links are NIL
    concept_types, sources, allow, deny  restrict the concepts: semantic types, vocabularies, ids
    threads           for retrieval and reranking, by default all cores; does not change results

    All other fields of `linnet.link.Pipeline` are options too. Raises StoreError or a subclass if a terminology, index or model
    cannot be used, UnknownNameError for an unknown option, RequestError for options that contradict each other.

    >>> import linnet
    >>> linker = linnet.load("starter", concept_types=["Disease"], threads=1)
    >>> linker.link(["heart attack"])[0].name
    'Myocardial Infarction'
    """
    from linnet.link.linker_config import LinkerConfig

    return LinkerConfig.of(terminologies, options).open()


def starter() -> Linker:
    """A linker for the small packaged terminology, to try linnet before fetching a real one."""
    return load("starter")


def open_terminology(path: str | Path) -> Terminology:
    """Open a compiled terminology to look up concepts. Raises StoreError or a subclass if it cannot be used.

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
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'linnet' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(globals().keys() | _LAZY.keys())
