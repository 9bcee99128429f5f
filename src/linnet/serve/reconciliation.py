"""Answers of the reconciliation API 0.2, which OpenRefine asks.

Source: Reconciliation Service API 0.2, W3C Entity Reconciliation Community Group.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from linnet import __version__
from linnet.read.qualifiers import Relation, relation
from linnet.serve.snapshot import Snapshot
from linnet.terminology import Terminology
from linnet.types import Concept

__all__ = [
    "PROPERTIES",
    "candidates",
    "extension",
    "manifest",
    "preview",
    "suggested_entities",
    "suggested_types",
]

# A link at least so probable is marked as a match: 98.2 % of 1,096 such links are right (hospital and mixed strings of
# benchmarks/generalisation; distinct texts of the NCBI and BC5CDR dev sets, without context and memory).
_MATCH = 96.0
# Where there is no probability: of a text that linnet would not link, and without a calibrator.
_UNKNOWN = 50.0
PROPERTIES = {
    "name": "Preferred name",
    "synonyms": "Synonyms",
    "types": "Types",
    "parents": "Broader concepts",
    "definition": "Definition",
    "xrefs": "Ids of other vocabularies",
}
"""What can be fetched of a concept: id → name."""


def manifest(snapshot: Snapshot, base: str) -> dict[str, Any]:
    """What the service can do; `base`: its address, without a slash at the end."""
    names = ", ".join(terminology.path.resolve().name for terminology in snapshot.terminologies)
    at = f"{base}/reconcile"
    return {
        "versions": ["0.2"],
        "name": f"linnet: {names}",
        "identifierSpace": f"{base}/v1/concepts/",
        "schemaSpace": f"{at}/types/",
        "documentation": f"{base}/docs",
        "serviceVersion": __version__,
        "view": {"url": f"{base}/v1/concepts/{{{{id}}}}"},
        "preview": {"url": f"{at}/preview?id={{{{id}}}}", "width": 420, "height": 260},
        "suggest": {
            kind: {"service_url": base, "service_path": f"/reconcile/suggest/{kind}"}
            for kind in ("entity", "type", "property")
        },
        "extend": {
            "propose_properties": {"service_url": base, "service_path": "/reconcile/properties"},
            "property_settings": [],
        },
    }


def candidates(
    snapshot: Snapshot, answer: dict[str, Any], *, types: Collection[str], limit: int
) -> list[dict[str, Any]]:
    """The concepts that a text may mean, the best first; `answer`: as `mention_record`.

    Scores go from 0 to 100. That of linnet's answer is its calibrated probability; the others share what is left by their similarity,
    which is no probability, and none has more. Concepts of other types are left out if `types` are named.
    """
    wanted = {type.casefold() for type in types}
    parts = answer.get("parts") or [answer]
    linked = {concept: part["name"] for part in parts for concept in part["concepts"]}
    best = 100 * answer["probability"] if linked and answer["probability"] is not None else _UNKNOWN
    # Of a text that names several things, each is a candidate, and none a match; nor is what "family history of gout" is about.
    is_match = len(linked) == 1 and best >= _MATCH and not _is_other(answer)
    others = [each for part in parts for each in part["candidates"] if each["concept"] not in linked]
    total = sum(max(each["score"], 0.0) for each in others) or 1.0
    found = [(id, best, is_match) for id in linked]
    found += [
        (each["concept"], min(best, (100 - best) * max(each["score"], 0.0) / total), False) for each in others
    ]
    results = []
    for id, score, match in found:
        concept = _concept(snapshot, id)
        if concept is not None and (not wanted or wanted & {type.casefold() for type in concept.types}):
            results.append(_summary(concept) | {"score": round(score, 2), "match": match})
    return results[:limit]


def _is_other(answer: dict[str, Any]) -> bool:
    names = [answer["name"], *(each["name"] for each in answer["candidates"][:1])]
    return relation(answer["text"], names) is Relation.OTHER


def suggested_entities(found: Iterable[tuple[Terminology, int]]) -> list[dict[str, Any]]:
    """Concepts by terminology and row, as suggestions."""
    summaries = (_summary(terminology.concept(row)) for terminology, row in found)
    return [{**each, "notable": each.pop("type")} for each in summaries]


def suggested_types(snapshot: Snapshot, prefix: str, limit: int) -> list[dict[str, str]]:
    """Types of concepts that have words beginning so; those that begin so themselves first."""
    start = prefix.casefold()
    names = {name for terminology in snapshot.terminologies for name in terminology.type_names}
    found = [name for name in names if any(word.startswith(start) for word in _beginnings(name.casefold()))]
    found.sort(key=lambda name: (not name.casefold().startswith(start), name))
    return [{"id": name, "name": name} for name in found[:limit]]


def extension(snapshot: Snapshot, ids: Sequence[str], properties: Sequence[str]) -> dict[str, Any]:
    """What is known of concepts; nothing of unknown ids and properties."""
    known = [name for name in properties if name in PROPERTIES]
    return {
        "meta": [{"id": name, "name": PROPERTIES[name]} for name in known],
        "rows": {id: {name: list(_values(snapshot, id, name)) or [{}] for name in known} for id in ids},
    }


def preview(snapshot: Snapshot, id: str) -> str | None:
    """A small page of a concept; None for an unknown id."""
    concept = _concept(snapshot, id)
    if concept is None:
        return None
    synonyms = "; ".join(concept.names[:12])
    lines = [
        f"<h1>{html.escape(concept.name)}</h1>",
        f"<p>{html.escape(concept.id)} · {html.escape(', '.join(concept.types))}</p>",
        f"<p>{html.escape(concept.definition)}</p>" if concept.definition else "",
        f"<p><small>{html.escape(synonyms)}</small></p>" if synonyms else "",
    ]
    style = "body{font:14px/1.4 system-ui,sans-serif;margin:12px}h1{font-size:17px;margin:0 0 6px}p{margin:0 0 6px}"
    head = f'<meta charset="utf-8"><title>{html.escape(concept.name)}</title><style>{style}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(lines)}</body></html>'


def _concept(snapshot: Snapshot, id: str) -> Concept | None:
    for terminology in snapshot.terminologies:
        if current := terminology.resolve(id):
            return terminology.concept(terminology.row(current[0]))
    return None


def _summary(concept: Concept) -> dict[str, Any]:
    return {
        "id": concept.id,
        "name": concept.name,
        **({"description": concept.definition} if concept.definition else {}),
        "type": [{"id": type, "name": type} for type in concept.types],
    }


def _values(snapshot: Snapshot, id: str, name: str) -> Iterator[dict[str, str]]:
    concept = _concept(snapshot, id)
    if concept is None:
        return
    if name == "parents":
        for parent in concept.parents:
            broader = _concept(snapshot, parent)
            yield {"id": parent, "name": broader.name if broader else parent}
    else:
        value = getattr(concept, {"synonyms": "names"}.get(name, name))
        yield from ({"str": each} for each in ([value] if isinstance(value, str) else value) if each)


def _beginnings(name: str) -> list[str]:
    return [name, *name.replace("-", " ").split()]
