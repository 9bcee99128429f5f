"""Rows of a PubTator document: mentions, relations, and damaged mentions."""

from __future__ import annotations

from typing import Any

from linnet.advice import Step
from linnet.corpora.ids import format_concepts, parse_concepts
from linnet.corpora.reading import FileReading
from linnet.corpora.spans import checked
from linnet.types import Document, Mention

__all__ = ["is_mention", "mention_of", "whole"]

_NCBI_CLASSES = frozenset({"SpecificDisease", "DiseaseClass", "CompositeMention", "Modifier"})
_DIGITS = 12  # no text is longer, and Python refuses numbers with thousands of digits
_SHAPE = "ID, start, end, text, type, concept separated by tabs"


def is_mention(cells: list[str], text: str, reading: FileReading) -> bool:
    """Whether a row is a mention, with offsets in its second and third columns; others are relations.

    Raises DataError for a row with too few columns, and for a mention with damaged or misplaced offsets, recognised by
    columns that almost point at its text.
    """
    if len(cells) >= 5 and whole(cells[1]) and whole(cells[2]):
        return True
    reason = _damage(cells, text)
    if reason:
        shown = "\t".join(cells)[:60].replace("\t", " ⇥ ")
        raise reading.error(f"expected {_SHAPE}, got {reason}: '{shown}'.", Step.SKIP_BAD_RECORD())
    return False


def mention_of(cells: list[str], document: Document, base: int, reading: FileReading) -> Mention:
    """The mention of a row. Raises OffsetError if its offsets have another text.

    base  added to its offsets
    """
    start, end, type = int(cells[1]), int(cells[2]), cells[4]
    text, place = document.text[base:] if base else document.text, reading.at(f"document {document.id}")
    surface = checked(text, start, end, cells[3], place)
    extra: dict[str, Any] = {}
    if type in _NCBI_CLASSES:
        extra["class"], type = type, "Disease"
    concepts, combined = parse_concepts(cells[5] if len(cells) > 5 else "", type=type)
    if combined:
        extra["combined"] = True
    own: dict[str, Any] = {} if cells[3] == surface else {"text_as_written": cells[3]}
    field, rest = cells[5] if len(cells) > 5 else None, cells[6:]
    if field != format_concepts(concepts, combined=combined):
        own["concept_as_written"] = field
    if len(rest) == 1 and len(parts := rest[0].split("|")) == len(concepts) and all(parts):
        extra["parts"] = parts
    elif rest:
        own["further_columns"] = rest
    if own:
        extra["pubtator"] = own
    return Mention(document, base + start, base + end, surface, type, concepts, extra=extra)


def whole(cell: str) -> bool:
    """Whether a cell is a whole number, as an offset is."""
    digits = cell if cell.isdigit() else cell.strip(" ")
    return digits.isdigit() and digits.isascii() and len(digits) <= _DIGITS


def _damage(cells: list[str], text: str) -> str:
    """The fault of a row that is not a valid mention; "" for a relation."""
    columns = f"{len(cells)} columns"
    if len(cells) < 3:
        return columns
    first, second = cells[1], cells[2]
    surface = cells[3] if len(cells) > 3 else ""
    names_text = any(map(str.isalpha, surface)) and surface in text
    if whole(first) and whole(second):
        # Gene ids are numbers too: as offsets, those of a relation point at nothing.
        start, end = int(first), int(second)
        relation = len(cells) == 4 and not start < end <= len(text) and not names_text
        return "" if relation else columns
    wrong = f"'{first[:20]}' and '{second[:20]}' as start and end"
    if len(cells) >= 5 and _number(first) and _number(second):
        return wrong
    if names_text and whole(second) and (len(cells) > 5 or text[: int(second)].endswith(surface)):
        return wrong
    if names_text and whole(first) and (len(cells) > 5 or text.startswith(surface, int(first))):
        return wrong
    for index in range(2, len(cells) - 1):
        if whole(cells[index]) and whole(cells[index + 1]):
            pointed = text[int(cells[index]) : int(cells[index + 1])]
            if pointed and pointed in cells:
                return f"the offsets in columns {index + 1} and {index + 2}"
    return ""


def _number(cell: str) -> bool:
    try:
        float(cell.replace(",", ""))
    except ValueError:
        return False
    return True
