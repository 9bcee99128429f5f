"""Fields that look like annotations and that the reader did not read: counted where they are carried, refused where gold is wanted.

>>> from linnet.types import Document
>>> overlooked(Document("1", "Gout.", extra={"jsonl": {"entities": [[0, 4, "Disease"]], "year": 2001}}))
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

__all__ = ["not_read", "overlooked", "passed_over"]

# What annotations are called in exports, corpora and data sets of others, without `_`, `-` and spaces.
_NAMES = frozenset({
    "annotation", "annotations", "bioes", "biotags", "concept", "conceptid", "conceptids", "concepts", "cui", "cuis",
    "denotation", "denotations", "entities", "entity", "entityid", "entitymentions", "ents", "gold", "goldid", "iobtags",
    "label", "labels", "meshid", "meshids", "nertags", "ner", "normalization", "normalizations", "normalized", "snomedid",
    "span", "spans", "tags", "tokentags", "umlsid",
})  # fmt: skip
# Of a mention also these, which documents have for themselves.
_IDS = frozenset({"code", "dbid", "identifier", "identifiers", "kbid", "mesh", "omim", "refid", "umls"})
_NOTHING: tuple[Any, ...] = (None, [], {})


def overlooked(document: Document) -> list[str]:
    """The names of such fields of the document, its row or its mentions, in order, each once.

    A field of a document with mentions counts only if it holds lists or objects, as spans do; one of a mention, or of a
    table's row, only if no concept was read from it.
    """
    names = [
        name
        for name, value in [*_fields(document, "jsonl"), *_fields(document, "texoo", "fields")]
        if _is_named(name) and (_holds_parts(value) or (_says_something(value) and not document.mentions))
    ]
    if document.mentions and not any(mention.concepts for mention in document.mentions):
        row = _fields(document, "table", "row")
        names += [name for name, value in row if _is_named(name) and _says_something(value)]
    for mention in document.mentions:
        if not mention.concepts:
            fields = [
                *_fields(mention, "jsonl"),
                *_fields(mention, "texoo", "fields"),
                *_fields(
                    document, "mentions", "fields"
                ),  # a line of the mention format is a document of one mention
            ]
            names += [
                name
                for name, value in fields
                if (_is_named(name) or _plain(name) in _IDS) and _says_something(value)
            ]
    return list(dict.fromkeys(names))


def passed_over(name: str, format: str) -> str:
    """The note that counts documents with such a field (see `notes`)."""
    holders = "rows with a column" if format == "table" else "documents with a field"
    return f"{holders} '{name}', which looks like annotations and was not read"


def not_read(names: Sequence[str], document: Document, format: str, path: str | Path) -> DataError:
    """The error for such fields where gold annotations are wanted."""
    shown = ", ".join(f"'{name}'" for name in names)
    return DataError(
        f"document {document.id}: {shown} {'look' if len(names) > 1 else 'looks'} like annotations; the format '{format}' has no "
        'such field. Write annotations as "mentions": [{"start": 0, "end": 4, "type": "Disease", "concepts": ["MESH:D006073"]}], '
        "one document a line, or take the field out.",
        path=path,
    )


def _fields(holder: Document | Mention, *place: str) -> list[tuple[str, Any]]:
    """Fields that a reader keeps in `extra` without knowing what they mean."""
    value: Any = holder.extra
    for name in place:
        value = value.get(name) if isinstance(value, Mapping) else None
    return list(value.items()) if isinstance(value, Mapping) else []


def _is_named(name: str) -> bool:
    return _plain(name) in _NAMES


@lru_cache(maxsize=1024)
def _plain(name: object) -> str:
    return "".join(letter for letter in str(name).casefold() if letter.isalnum())


def _says_something(value: Any) -> bool:
    return not (is_none(value) or value in ("[]", "{}") if isinstance(value, str) else value in _NOTHING)


def _holds_parts(value: Any) -> bool:
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return any(isinstance(item, (Mapping, list)) for item in items)
