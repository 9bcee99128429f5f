"""Concept ids in manually filled fields: labels, comments, features of a layer.

>>> concepts_in("HP_0001250"), concepts_in("C0011849"), concepts_in("PERSON"), concepts_in("see note: MESH")
(('HP:0001250',), ('UMLS:C0011849',), (), ())
>>> type_and_concepts("Disease:D003920"), type_and_concepts("Disease")
(('Disease', ('MESH:D003920',)), ('Disease', ()))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from linnet.corpora.ids import as_curie, parse_concepts
from linnet.words.curies import curie

__all__ = ["concepts_in", "strings_in", "type_and_concepts"]

_PREFIXED = re.compile(r"^([A-Za-z][A-Za-z0-9.\-]*)[:_](\S+)$")
_TYPED = re.compile(r"^([^\s:]+):(\S+)$")
# Types of mentions whose bare numbers are ids: of NCBI Gene, NCBI Taxonomy and OMIM, as PubTator writes them.
_NUMBERED = frozenset({"gene", "species", "disease", "organism"})
_URL = re.compile(r"^https?://\S+$")


def concepts_in(text: str, *, type: str = "") -> tuple[str, ...]:
    """The concepts of a field that holds only ids, separated by `|`, `;`, `,` or space; empty for any other text.

    An id has a known prefix, is a URL, or has the shape of a MeSH id or a CUI. A bare number is no id, as its vocabulary is
    unknown.
    """
    pieces = [piece for piece in re.split(r"[|;,\s]+", text.strip()) if piece]
    concepts = [_concept(piece, type) for piece in pieces]
    return tuple(dict.fromkeys(concepts)) if all(concepts) else ()


def type_and_concepts(label: str) -> tuple[str, tuple[str, ...]]:
    """Type and concepts of a label: an id is a concept, `Disease:D003920` (as in PubTator) is both, others are types."""
    if concepts := concepts_in(label):
        return "", concepts
    if match := _TYPED.match(label):
        type, id = match.groups()
        if id.isdigit() and type.casefold() not in _NUMBERED:
            return label, ()
        concepts, _ = parse_concepts(id, type=type)
        if concepts and all(":" in concept for concept in concepts):
            return type, concepts
    return label, ()


def strings_in(value: Any) -> Iterator[str]:
    """Every string in a JSON value, in order, except keys of objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)


def _concept(piece: str, type: str) -> str:
    if _URL.match(piece):
        return as_curie(piece)
    if match := _PREFIXED.match(piece):
        head, tail = match.groups()
        # `curie` changes known prefixes to capitals, and leaves others unchanged.
        known = curie(f"{head.lower()}:1") != f"{head.lower()}:1"
        return as_curie(f"{head}:{tail}") if known else ""
    concept = as_curie(piece, type=type)
    return concept if ":" in concept and not piece.isdigit() else ""
