"""Unread fields that look like annotations: counted, or refused if gold annotations are required.

>>> from linnet.types import Document
>>> unread_fields(Document("1", "Gout.", extra={"jsonl": {"entities": [[0, 4, "Disease"]], "year": 2001}}))
['entities']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from linnet.corpora.ids import is_none
from linnet.errors import DataError
from linnet.types import Document, Mention

__all__ = ["unread_error", "unread_fields", "unread_note"]

# Names of annotations in exports, corpora and data sets, without `_`, `-` and spaces.
_NAMES = frozenset({
    "annotation", "annotations", "bioes", "biotags", "concept", "conceptid", "conceptids", "concepts", "cui", "cuis",
    "denotation", "denotations", "entities", "entity", "entityid", "entitymentions", "ents", "gold", "goldid", "iobtags",
    "label", "labels", "meshid", "meshids", "nertags", "ner", "normalization", "normalizations", "normalized", "snomedid",
    "span", "spans", "tags", "tokentags", "umlsid",
})  # fmt: skip
# Further names for mentions only, as documents have such fields about themselves.
_IDS = frozenset({"code", "dbid", "identifier", "identifiers", "kbid", "mesh", "omim", "refid", "umls"})
_NOTHING: tuple[Any, ...] = (None, [], {})


def unread_fields(document: Document) -> list[str]:
    """The distinct names of such fields of the document, its row or its mentions, in order.

    A field of a document with mentions counts only if it holds lists or objects, as spans do; a field of a mention or of a
    table's row only if no concept was read from there.
    """
    names = [
        name
        for name, value in [*_fields(document, "jsonl"), *_fields(document, "texoo", "fields")]
        if _is_named(name) and (_holds_items(value) or (_is_filled(value) and not document.mentions))
    ]
    if document.mentions and not any(mention.concepts for mention in document.mentions):
        row = _fields(document, "table", "row")
        names += [name for name, value in row if _is_named(name) and _is_filled(value)]
    for mention in document.mentions:
        if not mention.concepts:
            fields = [
                *_fields(mention, "jsonl"),
                *_fields(mention, "texoo", "fields"),
                # a line of the mention format is a document with one mention
                *_fields(document, "mentions", "fields"),
            ]
            names += [
                name
                for name, value in fields
                if (_is_named(name) or _plain(name) in _IDS) and _is_filled(value)
            ]
    return list(dict.fromkeys(names))


def unread_note(name: str, format: str) -> str:
    """The note for documents with such a field (see `notes`)."""
    holders = "rows with a column" if format == "table" else "documents with a field"
    return f"{holders} '{name}', which looks like annotations and was not read"


def unread_error(names: Sequence[str], document: Document, format: str, path: str | Path) -> DataError:
    """The error for such fields if gold annotations are required."""
    shown = ", ".join(f"'{name}'" for name in names)
    return DataError(
        f"document {document.id}: {shown} {'look' if len(names) > 1 else 'looks'} like annotations; the format '{format}' has no "
        'such field. Write annotations as "mentions": [{"start": 0, "end": 4, "type": "Disease", "concepts": ["MESH:D006073"]}], '
        "one document per line, or remove the field.",
        path=path,
    )


def _fields(holder: Document | Mention, *place: str) -> list[tuple[str, Any]]:
    """Fields of unknown meaning that a reader keeps in `extra`."""
    value: Any = holder.extra
    for name in place:
        value = value.get(name) if isinstance(value, Mapping) else None
    return list(value.items()) if isinstance(value, Mapping) else []


def _is_named(name: str) -> bool:
    return _plain(name) in _NAMES


@lru_cache(maxsize=1024)
def _plain(name: object) -> str:
    return "".join(letter for letter in str(name).casefold() if letter.isalnum())


def _is_filled(value: Any) -> bool:
    return not (is_none(value) or value in ("[]", "{}") if isinstance(value, str) else value in _NOTHING)


def _holds_items(value: Any) -> bool:
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return any(isinstance(item, (Mapping, list)) for item in items)
