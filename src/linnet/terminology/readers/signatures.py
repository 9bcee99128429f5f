"""Signatures of the formats whose first lines must be looked at together; `linnet/formats/formats.tsv` has those of the others."""

from __future__ import annotations

import re

from linnet.formats import Head
from linnet.terminology.readers.column_roles import usual_columns
from linnet.terminology.readers.jsonl import usual_fields
from linnet.terminology.readers.medic import is_medic_line

__all__ = ["is_json", "is_jsonl", "is_medic", "is_rxnorm", "is_table", "is_umls"]

_LANGUAGE = re.compile(r"[A-Z]{3}")
# Fields that hold annotations or links of a text, which a terminology does not have.
_ANNOTATIONS = frozenset({
    "mentions", "entities", "spans", "denotations", "annotations", "passages", "candidates", "concepts", "left", "right",
})  # fmt: skip
_ROWS = 50  # that are looked at


def is_json(head: Head) -> bool:
    """Whether the text is JSON: an object, or an array of objects."""
    return bool(re.match(r"\s*(\{|\[\s*[{\]])", head.text))


def is_jsonl(head: Head) -> bool:
    """Whether the text is objects with an id and names, and without annotations."""
    if re.match(r"\s*\[\s*\]", head.text):
        return True
    fields = head.record or {}
    roles = usual_fields(fields)
    return (
        "id" in roles
        and bool({"name", "synonyms"} & roles.keys())
        and not _ANNOTATIONS & fields.keys()
        and "resourceType" not in fields
    )


def is_medic(head: Head) -> bool:
    """Whether each line is `id||name…`: ids hold a digit, and `||` occurs once."""
    return bool(head.lines) and all(is_medic_line(line) for line in head.lines[:_ROWS])


def is_umls(head: Head) -> bool:
    """Whether the lines are rows of MRCONSO."""
    return all(re.fullmatch(r"C\d{7}", id) for id in _conso(head) or [""])


def is_rxnorm(head: Head) -> bool:
    """Whether the lines are rows of RXNCONSO."""
    return all(id.isdigit() for id in _conso(head) or [""])


def _conso(head: Head) -> list[str]:
    """The ids of rows like MRCONSO's; empty for other rows."""
    rows = [line.split("|") for line in head.lines[:_ROWS]]
    if any(len(row) not in (18, 19) or not _LANGUAGE.fullmatch(row[1]) for row in rows):
        return []
    return [row[0] for row in rows]


def is_table(head: Head) -> bool:
    """Whether the header has a column of ids and another known column; `id` and `text` alone may be documents."""
    plain = [cell for cell in head.header if cell.lower() != "text" or "curie" in head.columns]
    roles = usual_columns(plain)
    return "id" in roles and len(roles) > 1
