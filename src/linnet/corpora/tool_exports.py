"""Recognition of the annotation tool that wrote a record, by its keys, without guessing.

>>> format_of({"text": "Gout", "spans": [{"start": 0, "end": 4, "label": "Disease"}], "answer": "accept"})
'prodigy'
>>> format_of({"text": "Gout", "label": [[0, 4, "Disease"]]}), format_of({"text": "Gout", "label": "positive"})
('doccano', None)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linnet.corpora.tools.doccano import SPAN_FIELDS
from linnet.corpora.tools.label_studio import is_minimal
from linnet.corpora.tools.spacy_json import ENTITY_FIELDS

__all__ = ["format_of", "unreadable"]


def format_of(record: Any) -> str | None:
    """The name of the reader for an export's record; None for an unknown tool.

    record  a line of JSON Lines, the first element of an array, or a whole JSON object; lists may be cut short
    """
    if isinstance(record, list):
        return "spacy" if _is_example(record) else None
    if not isinstance(record, dict) or "mentions" in record:  # linnet's own documents
        return None
    return next((format for format, fits in _SIGNS.items() if fits(record)), None)


def unreadable(record: Any) -> str | None:
    """A known export that linnet cannot read, and what to export instead; None for anything else."""
    if not isinstance(record, dict):
        return None
    return next((what for fits, what in _FOREIGN if fits(record)), None)


def _is_medcat(record: dict[str, Any]) -> bool:
    projects = record.get("projects")
    return isinstance(projects, list) and all(
        isinstance(project, dict) and ("documents" in project or {"cuis", "tuis"} & project.keys())
        for project in projects
    )


def _is_cas(record: dict[str, Any]) -> bool:
    return "%FEATURE_STRUCTURES" in record or "%TYPES" in record


def _is_label_studio(record: dict[str, Any]) -> bool:
    if isinstance(record.get("data"), dict):
        return bool({"annotations", "completions", "predictions", "drafts"} & record.keys())
    return is_minimal(record)


def _is_pubannotation(record: dict[str, Any]) -> bool:
    if "text" not in record:
        return False
    return "denotations" in record or "tracks" in record or {"sourcedb", "sourceid"} <= record.keys()


def _is_prodigy(record: dict[str, Any]) -> bool:
    if "text" not in record:
        return False
    return (
        record.get("answer") in ("accept", "reject", "ignore")
        or {"_input_hash", "_task_hash"} <= record.keys()
        or (isinstance(record.get("spans"), list) and all(map(_has_ends, record["spans"][:1])))
    )


def _has_ends(item: Any) -> bool:
    return isinstance(item, dict) and {"start", "end"} <= item.keys()


def _is_doccano(record: dict[str, Any]) -> bool:
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


def _is_spacy(record: dict[str, Any]) -> bool:
    if "text" not in record:
        examples = record.get("annotations")
        return (
            isinstance(examples, list)
            and bool(examples)
            and all(example is None or _is_example(example) for example in examples)
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


def _is_example(record: Any) -> bool:
    return (
        isinstance(record, list)
        and len(record) == 2
        and isinstance(record[0], str)
        and isinstance(record[1], dict)
        and "entities" in record[1]
    )


# In order of certainty: Prodigy's answers and denotations are surer signs than a list of entities.
_SIGNS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "medcat": _is_medcat,
    "uima": _is_cas,
    "labelstudio": _is_label_studio,
    "pubannotation": _is_pubannotation,
    "prodigy": _is_prodigy,
    "doccano": _is_doccano,
    "spacy": _is_spacy,
}
_FOREIGN: tuple[tuple[Callable[[dict[str, Any]], bool], str], ...] = (
    (
        lambda record: {"annotatable", "anncomplete"} <= record.keys(),
        "annotations of tagtog (ann.json), whose text is in another file: export the project as BioC or brat",
    ),
    (
        lambda record: "examples" in record and ("schema" in record or "name" in record),
        "an export of LightTag: convert it to JSON Lines with 'text' and 'spans'",
    ),
    (
        lambda record: (
            {"fields", "responses"} <= record.keys()
            or {"prediction", "annotation", "status"} <= record.keys()
        ),
        "records of Argilla: convert them to JSON Lines with 'text' and 'spans'",
    ),
    (
        lambda record: isinstance(record.get("paragraphs"), list),
        "spaCy 2's paragraphs with token tags: convert it with `python -m spacy convert`, and the result to JSON with Doc.to_json",
    ),
)
