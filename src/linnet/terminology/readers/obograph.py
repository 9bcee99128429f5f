"""OBO Graphs JSON, as ROBOT and the OBO Foundry write it (`mondo.json`, `symp.json`), gzipped or not.

Source: the obographs JSON schema, geneontology/obographs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.errors import DataError
from linnet.io.files import read_text
from linnet.io.json import parse_json
from linnet.plural import counted
from linnet.terminology.readers.annotation_properties import last_part, role_of
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entry
from linnet.terminology.readers.json_objects import inner, objects, text
from linnet.terminology.readers.obsolete_terms import concepts_of, is_left_out, tell_left_out
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.types import Concept
from linnet.words.curies import curie

__all__ = ["read_obograph"]

_SCOPES = {
    "hasExactSynonym": "exact",
    "hasNarrowSynonym": "narrow",
    "hasBroadSynonym": "broad",
    "hasRelatedSynonym": "related",
}
_IS_A = {"is_a", "rdfs:subClassOf", "subClassOf"}


def read_obograph(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Classes in file order, each with its alternative ids. The whole document is held in memory.

    Names, scopes and deprecated classes are treated as in OBO (`read_obo`).
    Raises DataError for invalid JSON, without `graphs`, or for a repeated class.
    """
    file = SourceFile(path, options)
    graphs = _graphs(file)
    parents: dict[str, list[str]] = {}
    for graph in graphs:
        for child, predicate, parent in _edges(graph, file):
            if last_part(predicate) in _IS_A and child and parent:
                parents.setdefault(child, []).append(parent)
    seen: set[str] = set()
    individuals = left_out = 0
    for graph in graphs:
        nodes = graph.get("nodes") or []
        if not isinstance(nodes, list):
            raise file.error(
                f"'nodes' holds {json.dumps(nodes)[:40]}; expected a list of nodes. Fetch the file again."
            )
        for node in nodes:
            if not isinstance(node, dict):
                file.malformed(f"{json.dumps(node)[:60]} is not a node.")
                continue
            if node.get("type", "CLASS") != "CLASS":
                individuals += node["type"] == "INDIVIDUAL"
                continue
            iri = node.get("id")
            if not isinstance(iri, str) or not iri:
                file.malformed(f"node without an id (label '{node.get('lbl')}').")
                continue
            try:
                entry, obsolete, consider, alternatives = _entry(node, iri, options)
            except DataError as error:
                file.malformed(f"{iri}: {error.message}")
                continue
            if entry.id in seen:
                file.malformed(f"{entry.id} occurs twice. Remove one of the nodes.")
                continue
            seen.add(entry.id)
            entry.parents = [curie(parent, prefix=options.prefix) for parent in parents.get(iri, ())]
            if not entry.names and (node.get("meta") or {}).get("synonyms"):
                file.malformed(f"{entry.id} has synonyms but no label.")
            left_out += is_left_out(entry, obsolete, consider, options)
            yield from concepts_of(entry, obsolete, consider, alternatives, options)
    tell_left_out(left_out, file)
    if individuals:
        file.tell(f"{counted(individuals, 'individuals')} not read; only classes are concepts.")


def _edges(graph: Mapping[str, Any], file: SourceFile) -> Iterator[tuple[str, str, str]]:
    try:
        for edge in objects(graph, "edges"):
            yield text(edge, "sub"), text(edge, "pred"), text(edge, "obj")
    except DataError as error:
        raise file.error(f"an edge that cannot be read: {error.message}") from None


def _graphs(file: SourceFile) -> list[Mapping[str, Any]]:
    document = parse_json(read_text(file.path), file.path, repeated=True)
    graphs = document.get("graphs") if isinstance(document, dict) else None
    if not isinstance(graphs, list) or not all(isinstance(graph, dict) for graph in graphs):
        raise file.error("no list 'graphs': not OBO Graphs JSON.", None, Step.READ_WITH(format="NAME"))
    return graphs


def _entry(
    node: Mapping[str, Any], iri: str, options: ReadOptions
) -> tuple[Entry, bool, list[str], list[str]]:
    """The entry without parents, whether it is obsolete, the ids to consider instead, and its alternative ids."""
    meta = inner(node, "meta")
    entry = Entry(curie(iri, prefix=options.prefix))
    consider: list[str] = []
    alternatives: list[str] = []
    label = clean(text(node, "lbl"))
    if label:
        entry.names.append(label)
        for synonym in objects(meta, "synonyms"):
            if _SCOPES.get(last_part(text(synonym, "pred")), "related") in options.scopes:
                entry.names.append(clean(text(synonym, "val")))
    entry.definition = clean(text(inner(meta, "definition"), "val"))
    for xref in objects(meta, "xrefs"):
        value = text(xref, "val")
        if ":" in value and not value.lower().startswith(("http:", "https:", "url:")):
            entry.xrefs.append(curie(value))
    for property in objects(meta, "basicPropertyValues"):
        predicate, value = text(property, "pred"), str(property.get("val", ""))
        role, name = role_of(predicate), last_part(predicate)
        if role == "successor":
            entry.replaced_by.append(curie(value, prefix=options.prefix))
        elif name == "consider":
            consider.append(curie(value, prefix=options.prefix))
        elif name == "hasAlternativeId":
            alternatives.append(curie(value, prefix=options.prefix))
        elif name == "hasOBONamespace":
            entry.types.append(value)
        elif role == "name" and label and "exact" in options.scopes:
            entry.names.append(clean(value))
        elif role == "definition":
            entry.definition = entry.definition or clean(value)
        elif role == "xref":
            entry.xrefs.append(curie(value))
    return entry, bool(meta.get("deprecated")), consider, alternatives
