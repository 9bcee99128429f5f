"""Recognition of the annotation tool that wrote a record, by its keys, without guessing; lists may be cut short.

>>> is_prodigy({"text": "Gout", "spans": [{"start": 0, "end": 4, "label": "Disease"}], "answer": "accept"})
True
>>> is_doccano({"text": "Gout", "label": [[0, 4, "Disease"]]}), is_doccano({"text": "Gout", "label": "positive"})
(True, False)
"""

from __future__ import annotations

from typing import Any

from linnet.corpora.tools.doccano import SPAN_FIELDS
from linnet.corpora.tools.label_studio import is_minimal
from linnet.corpora.tools.spacy_json import ENTITY_FIELDS

__all__ = [
    "is_doccano",
    "is_example",
    "is_label_studio",
    "is_medcat",
    "is_prodigy",
    "is_pubannotation",
    "is_spacy",
]


def is_medcat(record: dict[str, Any]) -> bool:
    """Whether the tool exported the record."""
    projects = record.get("projects")
    return isinstance(projects, list) and all(
        isinstance(project, dict) and ("documents" in project or {"cuis", "tuis"} & project.keys())
        for project in projects
    )


def is_label_studio(record: dict[str, Any]) -> bool:
    """Whether the tool exported the record."""
    if isinstance(record.get("data"), dict):
        return bool({"annotations", "completions", "predictions", "drafts"} & record.keys())
    return is_minimal(record)


def is_pubannotation(record: dict[str, Any]) -> bool:
    """Whether the tool exported the record."""
    if "text" not in record:
        return False
    return "denotations" in record or "tracks" in record or {"sourcedb", "sourceid"} <= record.keys()


def is_prodigy(record: dict[str, Any]) -> bool:
    """Whether the tool exported the record."""
    if "text" not in record:
        return False
    return (
        record.get("answer") in ("accept", "reject", "ignore")
        or {"_input_hash", "_task_hash"} <= record.keys()
        or (isinstance(record.get("spans"), list) and all(map(_has_ends, record["spans"][:1])))
    )


def _has_ends(item: Any) -> bool:
    return isinstance(item, dict) and {"start", "end"} <= item.keys()


def is_doccano(record: dict[str, Any]) -> bool:
    """Whether the tool exported the record."""
    if not isinstance(record.get("text", record.get("data")), str):
        return False
    fields = [record[name] for name in SPAN_FIELDS if isinstance(record.get(name), list)]
    items = [item for field in fields for item in field]
    if any(isinstance(item, dict) and {"start_offset", "end_offset"} <= item.keys() for item in items):
        return True
    labels = [
        item for name in ("label", "labels") if isinstance(record.get(name), list) for item in record[name]
    ]
    if labels:
        return _is_triple(labels[0])
    # Empty lists, as for a text without labels; an empty `annotations` alone proves nothing.
    return not items and bool(
        isinstance(record.get("label"), list) or {"entities", "relations"} <= record.keys()
    )


def _is_triple(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 3 and type(item[0]) is int and type(item[1]) is int


def is_spacy(record: dict[str, Any]) -> bool:
    """Whether the tool exported the record."""
    if "text" not in record:
        examples = record.get("annotations")
        return (
            isinstance(examples, list)
            and bool(examples)
            and all(example is None or is_example(example) for example in examples)
            and any(example is not None for example in examples)
        )
    lists = [record[name] for name in ENTITY_FIELDS if isinstance(record.get(name), list)]
    return bool(lists) and all(_is_entity(item) for entities in lists for item in entities[:1])


def _is_entity(item: Any) -> bool:
    if isinstance(item, dict):
        return bool({"start", "begin", "start_char"} & item.keys()) and bool(
            {"end", "end_char"} & item.keys()
        )
    return isinstance(item, list) and len(item) in (3, 4) and type(item[0]) is int and type(item[1]) is int


def is_example(record: Any) -> bool:
    """Whether it is a training example of spaCy: a text, and its entities."""
    return (
        isinstance(record, list)
        and len(record) == 2
        and isinstance(record[0], str)
        and isinstance(record[1], dict)
        and "entities" in record[1]
    )
