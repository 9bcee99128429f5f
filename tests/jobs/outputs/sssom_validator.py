"""A validator of SSSOM/TSV, from the schema of version 1.0 (https://w3id.org/sssom/schema/, CC0), as `sssom validate` applies it:
required slots, enumerations, patterns, the rules of literals, and prefixes that `curie_map` expands."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import yaml

_SET = {
    "sssom_version", "curie_map", "mapping_set_id", "mapping_set_version", "mapping_set_source", "mapping_set_title",
    "mapping_set_description", "mapping_set_confidence", "creator_id", "creator_label", "license", "subject_type", "subject_source",
    "subject_source_version", "object_type", "object_source", "object_source_version", "predicate_type", "mapping_provider",
    "mapping_tool", "mapping_tool_version", "mapping_date", "publication_date", "similarity_measure", "see_also", "issue_tracker",
    "other", "comment", "extension_definitions",
}  # fmt: skip
_MAPPING = {
    "record_id", "subject_id", "subject_label", "subject_category", "predicate_id", "predicate_label", "predicate_modifier",
    "object_id", "object_label", "object_category", "mapping_justification", "author_id", "author_label", "reviewer_id",
    "reviewer_label", "creator_id", "creator_label", "license", "subject_type", "subject_source", "subject_source_version",
    "object_type", "object_source", "object_source_version", "predicate_type", "mapping_provider", "mapping_source",
    "mapping_cardinality", "mapping_tool", "mapping_tool_version", "mapping_date", "publication_date", "review_date", "confidence",
    "subject_match_field", "object_match_field", "match_string", "subject_preprocessing", "object_preprocessing",
    "similarity_score", "similarity_measure", "see_also", "issue_tracker_item", "other", "comment",
}  # fmt: skip
_REFERENCES = {
    "subject_id", "predicate_id", "object_id", "mapping_justification", "author_id", "creator_id", "subject_source",
    "object_source", "subject_match_field", "object_match_field", "subject_preprocessing", "object_preprocessing",
}  # fmt: skip
_URIS = {"mapping_set_id", "license", "mapping_provider"}
_JUSTIFICATIONS = {
    f"semapv:{name}"
    for name in (
        "MappingReview", "ManualMappingCuration", "LogicalReasoning", "LexicalMatching", "CompositeMatching", "UnspecifiedMatching",
        "SemanticSimilarityThresholdMatching", "LexicalSimilarityThresholdMatching", "MappingChaining", "MappingInversion",
        "StructuralMatching", "InstanceBasedMatching", "BackgroundKnowledgeBasedMatching",
    )
}  # fmt: skip
_TYPES = {"", "owl class", "skos concept", "rdfs resource", "rdfs class", "rdfs literal"}
_CURIE = re.compile(r"([A-Za-z_][\w.-]*):([^\s|<>\"{}\\^`]+)")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s|<>\"{}\\^`]+")


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """Metadata and rows."""
    with path.open(encoding="utf-8", newline="") as stream:
        lines = stream.read().split("\n")
    head = [line[1:] for line in lines if line.startswith("#")]
    body = "\n".join(line for line in lines if not line.startswith("#"))
    return yaml.safe_load("\n".join(head)) or {}, list(
        csv.DictReader(body.splitlines(keepends=True), delimiter="\t")
    )


def problems(path: Path) -> list[str]:
    """What is invalid; empty for a valid file."""
    try:
        metadata, rows = read(path)
    except yaml.YAMLError as error:
        return [f"the metadata is not YAML: {error}"]
    found = [f"{name} is required" for name in ("mapping_set_id", "license") if not metadata.get(name)]
    found += [f"unknown slot {name} of the set" for name in metadata.keys() - _SET]
    found += [
        f"{name} is no URI" for name in _URIS & metadata.keys() if not _URI.fullmatch(str(metadata[name]))
    ]
    prefixes = metadata.get("curie_map", {})
    found += [
        f"{name} does not expand to a URI" for name, place in prefixes.items() if not _URI.fullmatch(place)
    ]
    for number, row in enumerate([metadata, *rows]):
        cells = {
            k: v if isinstance(v, list) else str(v).split("|")
            for k, v in row.items()
            if k in _REFERENCES and v
        }
        for name, values in cells.items():
            for value in values:
                curie = _CURIE.fullmatch(value)
                if not (curie and curie[1] in prefixes) and "://" not in value:
                    found.append(f"row {number}: {name} {value!r} is no CURIE with a prefix of curie_map")
    for number, row in enumerate(rows, 1):
        found += [f"row {number}: {what}" for what in _of_row(row)]
    return found


def _of_row(row: dict[str, str]) -> list[str]:
    found = [f"unknown slot {name}" for name in row.keys() - _MAPPING]
    found += [
        f"{name} is required" for name in ("predicate_id", "mapping_justification") if not row.get(name)
    ]
    if row.get("mapping_justification") not in _JUSTIFICATIONS:
        found.append(f"justification {row.get('mapping_justification')}")
    for side in ("subject", "object"):
        kind = row.get(f"{side}_type", "")
        needed = f"{side}_label" if kind == "rdfs literal" else f"{side}_id"
        if kind not in _TYPES or not row.get(needed):
            found.append(f"{side}_type {kind!r} needs {needed}")
    for name in ("confidence", "similarity_score"):
        if row.get(name) and not 0 <= float(row[name]) <= 1:
            found.append(f"{name} {row[name]}")
    return found
