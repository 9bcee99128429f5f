"""A document from the spans of an export: offsets are converted and checked, misfits refused one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linnet.corpora.notes import Note, ignore
from linnet.corpora.refusal import Refuse
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
    where       its name in messages: `task 3, annotation 2`
    """

    start: int
    end: int
    surface: str | None = None
    type: str = ""
    concepts: tuple[str, ...] = ()
    where: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


def document_of(
    id: str,
    text: str,
    spans: Iterable[MarkedSpan],
    *,
    unit: Unit,
    path: str | Path,
    line: int | None,
    refuse: Refuse,
    note: Note = ignore,
    extra: Mapping[str, Any] | None = None,
) -> Document:
    """The document with a mention per span, in the order given; spans that do not fit its text are refused.

    Raises DataError if the unit of the offsets is ambiguous.
    """
    spans = list(spans)
    try:
        places = in_code_points(text, [(span.start, span.end, span.surface) for span in spans], unit)
    except DataError as error:
        raise type(error)(f"document {id}: {error.message}.", path=path, line=line) from None
    if unit != "utf-16" and places != [(span.start, span.end) for span in spans]:
        note("documents whose offsets count UTF-16 units, converted")
    home = Document(id, text)
    mentions: list[Mention] = []
    for span, (start, end) in zip(spans, places, strict=True):
        try:
            surface = checked(text, start, end, span.surface, path=path, line=line, where=span.where)
        except DataError as error:
            refuse(error)
        else:
            mentions.append(
                Mention(home, start, end, surface, span.type, span.concepts, extra=dict(span.extra))
            )
    return Document(id, text, tuple(mentions), dict(extra or {}))
