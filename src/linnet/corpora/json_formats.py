"""Detection of the corpus format of a JSON file from its first object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from linnet.corpora import bigbio, texoo, tool_exports
from linnet.corpora.jq import as_lines, text_from
from linnet.corpora.json_head import JsonHead
from linnet.corpora.not_a_corpus import AS_TEXT, not_a_corpus
from linnet.errors import DataError
from linnet.io.file_kinds import Kind
from linnet.listing import first_few

__all__ = ["json_format"]

_MENTION_FIELDS = frozenset({"left", "right", "document", "concept", "concepts", "cui", "candidates"})
_SHOWN = 20  # keys that a message lists


def _bioc(record: Mapping[str, Any]) -> str | None:
    documents = record.get("documents")
    inside = isinstance(documents, list) and any(
        "passages" in item for item in documents[:1] if isinstance(item, dict)
    )
    return (
        "biocjson"
        if inside or {"passages", "PubTator3"} & record.keys() or {"documents", "infons"} <= record.keys()
        else None
    )


# Each returns the format of a record (the first object of a file), recognised by its keys, or None. The first match counts.
_DETECTORS: tuple[Callable[[Mapping[str, Any]], str | None], ...] = (bigbio.format_of, _bioc, texoo.format_of)


def json_format(head: JsonHead, kind: Kind | None, path: str | Path) -> str:
    """The name of the format.

    kind  another possible file type (FHIR …), reported if no corpus format is proven

    Raises DataError for JSON of an unknown format, with the keys of its first object, and for documents that are not one
    per line.
    """
    record = head.record
    if name := tool_exports.format_of(head.first):
        return name
    if what := tool_exports.unreadable(head.first):
        raise DataError(f"holds {what}. {AS_TEXT}", path=path)
    if record is None:
        raise DataError(
            f'is a JSON array without objects. Expected objects with a "text". {AS_TEXT}', path=path
        )
    for detector in _DETECTORS:
        if name := detector(record):
            return name
    if not isinstance(record.get("text"), (str, int, float)):
        raise not_a_corpus(kind, path) if kind else DataError(_unknown(head, path), path=path)
    if head.layout != "lines":
        command = as_lines(path, array=head.layout == "array")
        raise DataError(
            f"is JSON with a text, but not one object per line. Convert it to JSON Lines: {command}",
            path=path,
        )
    return "mentions" if "mentions" not in record and _MENTION_FIELDS & record.keys() else "jsonl"


def _unknown(head: JsonHead, path: str | Path) -> str:
    keys = list(head.record or ())
    if not keys:
        return f"is JSON without a readable object with a text: it is empty, damaged or cut off. {AS_TEXT}"
    sentences = (
        f"is JSON of an unknown format: its first object has no 'text', but the keys {first_few(keys, _SHOWN)}.",
        text_from(head.record or {}, path, array=head.layout == "array"),
        AS_TEXT,
    )
    return " ".join(filter(None, sentences))
