"""Mappings as a ConceptMap of FHIR R4.

Source: https://hl7.org/fhir/R4/conceptmap.html. `wider` means that the target's meaning is wider than the source's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from linnet.io.files import open_output
from linnet.mapping.decisions import Equivalence, Status, Target
from linnet.mapping.folder import Folder
from linnet.mapping.rows import Code, Row
from linnet.terminology.readers.fhir_systems import system_of
from linnet.words.curies import bare

__all__ = ["EQUIVALENCES", "write_concept_map"]

EQUIVALENCES = {
    Equivalence.EQUAL: "equal",
    Equivalence.EQUIVALENT: "equivalent",
    Equivalence.BROADER: "wider",
    Equivalence.NARROWER: "narrower",
    Equivalence.INEXACT: "inexact",
    Equivalence.UNMATCHED: "unmatched",
}
_SOURCE = "urn:linnet:source"


def write_concept_map(
    mapping: Folder, rows: Iterable[Row], path: str | Path, metadata: dict[str, Any]
) -> list[str]:
    """A group for each code system of the targets; elements without a target stand in a group of their own.

    metadata  subject_source is the URI of the source, mapping_set_id that of the map, object_source where a system is not known
    """
    groups: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        for code in row.codes or (Code(row.text, 0),):
            for target in row.targets or (None,):
                system = _system(target, metadata) if target else ""
                elements = groups.setdefault(system, {})
                empty = {"code": code.code, "display": row.text, "target": []}
                elements.setdefault(code.code, empty)["target"].append(_target(row, target))
    source = metadata.get("subject_source", _SOURCE)
    resource = {
        "resourceType": "ConceptMap",
        **({"url": metadata["mapping_set_id"]} if "mapping_set_id" in metadata else {}),
        **{
            name: metadata[f"mapping_set_{name}"]
            for name in ("title", "version", "description")
            if f"mapping_set_{name}" in metadata
        },
        "status": "active",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "sourceUri": source,
        "group": [
            {"source": source, **({"target": system} if system else {}), "element": list(elements.values())}
            for system, elements in groups.items()
        ],
    }
    said = {name: value for name, value in resource.items() if value}
    with open_output(path) as stream:
        stream.write(json.dumps(said, ensure_ascii=False, indent=1) + "\n")
    return []


def _target(row: Row, target: Target | None) -> dict[str, str]:
    made = row.state.decision if row.status is Status.APPROVED else None
    comment = made.comment if made else "not checked by a person"
    said = {"comment": comment} if comment else {}
    if target is None:
        return {"equivalence": "unmatched", "comment": comment or "no concept"}
    equivalence = row.equivalence if made else None
    # FHIR R4 has no word for what nobody has said; `relatedto` is the broadest.
    return {
        "code": bare(target.concept),
        "display": target.name,
        "equivalence": EQUIVALENCES[equivalence] if equivalence else "relatedto",
        **said,
    }


def _system(target: Target, metadata: dict[str, Any]) -> str:
    prefix = target.concept.partition(":")[0]
    return system_of(prefix) or metadata.get("object_source") or f"https://bioregistry.io/{prefix.lower()}"
