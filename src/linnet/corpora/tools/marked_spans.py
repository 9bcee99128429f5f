"""A document from the spans of an export: offsets are converted and checked, misfits refused one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from linnet.corpora.reading import FileReading
from linnet.corpora.spans import checked
from linnet.corpora.tools.offsets import Unit, in_code_points
from linnet.errors import DataError
from linnet.types import Document, Mention

__all__ = ["MarkedSpan", "document_of"]


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """An annotation as in the export.

    start, end  in the tool's unit, end exclusive
    surface     its text, None if not given
    item        its name in messages: `task 3, annotation 2`
    """

    start: int
    end: int
    surface: str | None = None
    type: str = ""
    concepts: tuple[str, ...] = ()
    item: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


def document_of(
    id: str,
    text: str,
    items: Iterable[MarkedSpan | None],
    unit: Unit,
    reading: FileReading,
    *,
    extra: Mapping[str, Any] | None = None,
) -> Document:
    """The document with a mention per span, in the order given; spans that do not fit its text are refused.

    items  spans, and None for items that were left out

    Raises DataError if the unit of the offsets is ambiguous.
    """
    spans = [span for span in items if span is not None]
    try:
        places = in_code_points(text, [(span.start, span.end, span.surface) for span in spans], unit)
    except DataError as error:
        raise reading.at(f"document {id}").error(f"{error.message}.", kind=type(error)) from None
    if unit != "utf-16" and places != [(span.start, span.end) for span in spans]:
        reading.note("documents whose offsets count UTF-16 units, converted")
    home = Document(id, text)

    def mention(span: MarkedSpan, place: tuple[int, int]) -> Mention:
        surface = checked(text, *place, span.surface, reading.at(span.item))
        return Mention(home, *place, surface, span.type, span.concepts, extra=dict(span.extra))

    mentions = reading.each(zip(spans, places, strict=True), mention)
    return Document(id, text, tuple(mentions), dict(extra or {}))
