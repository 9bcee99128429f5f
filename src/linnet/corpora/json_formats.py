"""Detect the corpus format of a JSON file from its first object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from linnet.corpora import bigbio, texoo, tool_exports
from linnet.corpora.jq import as_lines, text_from
from linnet.corpora.json_head import JsonHead
from linnet.corpora.not_a_corpus import INSIST, not_a_corpus
from linnet.errors import DataError
from linnet.signatures import Kind

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


# Each names the format of a record (the first object of a file) by its keys, or None. The first that does decides.
tellers: tuple[Callable[[Mapping[str, Any]], str | None], ...] = (
    bigbio.told,
    _bioc,
    texoo.told,
)


def json_format(head: JsonHead, kind: Kind | None, path: str | Path) -> str:
    """The name of the format.

    kind  what else the file seems to be (FHIR …), which counts where no format of texts is proven

    Raises DataError for JSON of no known kind, listing the keys of its first object, and for documents that are not laid
    out one a line.
    """
    record = head.record
    if name := tool_exports.told(head.first):
        return name
    if what := tool_exports.unreadable(head.first):
        raise DataError(f"holds {what}. {INSIST}", path=path)
    if record is None:
        raise DataError(
            f'is a JSON array without objects. Expected objects with a "text". {INSIST}', path=path
        )
    for told in tellers:
        if name := told(record):
            return name
    if not isinstance(record.get("text"), (str, int, float)):
        raise not_a_corpus(kind, path) if kind else DataError(_unknown(head, path), path=path)
    if head.layout != "lines":
        command = as_lines(path, array=head.layout == "array")
        raise DataError(
            f"is JSON with a text, but not laid out one object a line. Turn it into JSON Lines: {command}",
            path=path,
        )
    return "mentions" if "mentions" not in record and _MENTION_FIELDS & record.keys() else "jsonl"


def _unknown(head: JsonHead, path: str | Path) -> str:
    keys = list(head.record or ())
    shown = ", ".join(keys[:_SHOWN]) + (f" and {len(keys) - _SHOWN:,} more" if len(keys) > _SHOWN else "")
    if not keys:
        return (
            f"is JSON in which no object with a text could be read: it is empty, damaged or cut off. {INSIST}"
        )
    sentences = (
        f"is JSON in no format that linnet knows: its first object has no 'text', but the keys {shown}.",
        text_from(head.record or {}, path, array=head.layout == "array"),
        INSIST,
    )
    return " ".join(filter(None, sentences))
