"""Annotation properties that hold names, definitions, successors and xrefs, for OBO and OBO Graphs.

>>> role_of("http://www.w3.org/2004/02/skos/core#altLabel")
'name'
>>> role_of("alternative:term"), role_of("dc:date")
('name', '')
"""

from __future__ import annotations

__all__ = ["last_part", "role_of"]

# Last part of the property's name → its role. EFO, ORDO and SKOS use these for what OBO has tags for.
_ROLES = {
    "alternative:term": "name",
    "alternative_term": "name",
    "IAO_0000118": "name",  # alternative label
    "altLabel": "name",
    "prefLabel": "name",
    "symbol": "name",
    "definition": "definition",
    "IAO_0000115": "definition",
    "IAO_0100001": "successor",  # term replaced by
    "exactMatch": "xref",
}


def last_part(property: str) -> str:
    """The name of a property without its namespace."""
    return property.rpartition("#")[2].rpartition("/")[2]


def role_of(property: str) -> str:
    """Role of a property: "name", "definition", "successor", "xref", or "" if it is not read."""
    name = last_part(property)
    if name in _ROLES:
        return _ROLES[name]
    prefix, _, local = name.partition(":")
    return _ROLES.get(f"{prefix}_{local}" if prefix == "IAO" else local, "")
