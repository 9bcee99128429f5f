"""Prodigy: JSON Lines of tasks, `{"text", "spans": [{"start", "end", "label", "kb_id"}], "answer"}`.

Only accepted tasks count as annotated. In a task with one span and `options` (entity linking), the accepted option is the
span's concept. Other fields except tokens are kept in `extra["prodigy"]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from linnet.corpora.ids import parse_concepts
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.tools.concept_fields import type_and_concepts
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.task_records import (
    id_of,
    list_field,
    note_unread,
    preview,
    read_tasks,
    text_of,
    whole_number,
)
from linnet.corpora.unannotated import UNANNOTATED
from linnet.formats.refusal import Refuse, stop
from linnet.types import Document

__all__ = ["read_prodigy"]

_KNOWN = frozenset({"id", "text", "spans", "tokens", "answer"})
_SPAN = frozenset({"start", "end", "text", "label", "kb_id", "token_start", "token_end"})
_REASONS = {"reject": "rejected by the annotator", "ignore": "that the annotator skipped"}


def read_prodigy(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order, numbered if they have no id; the whole file is held in memory.

    Raises or refuses DataError and OffsetError.
    """
    return read_tasks(FileReading(path, refuse, note), _document)


def _document(record: Any, number: int, reading: FileReading) -> Document:
    reading = reading.at(f"task {number}")
    text = text_of(record, ("text",), reading)
    answer = record.get("answer")
    if answer is None:
        reading.note("tasks without an answer, read as accepted")
    elif answer not in ("accept", *_REASONS):
        raise reading.error(f"expected accept, reject or ignore in 'answer', got {preview(answer)}.")
    id = id_of(record, number)
    other: dict[str, Any] = {name: value for name, value in record.items() if name not in _KNOWN}
    note_unread({name: value for name, value in other.items() if name != "options"}, reading)
    extra: dict[str, Any] = {"prodigy": other} if other else {}
    if isinstance(answer, str) and answer in _REASONS:
        return Document(id, text, (), extra | {UNANNOTATED: _REASONS[answer]})
    items = list_field(record, "spans", reading)
    tokens = record.get("tokens")
    chosen = _chosen(record) if len(items) == 1 else ()
    spans = reading.each(
        enumerate(items, start=1),
        lambda place, item: _span(item, tokens, chosen, reading.inside(f"span {place}")),
    )
    return document_of(id, text, spans, "code points", reading, extra=extra)


def _span(item: Any, tokens: Any, chosen: Sequence[str], reading: FileReading) -> MarkedSpan | None:
    """The span of an item; None, counted, if the annotator rejected or skipped it."""
    if isinstance(item, dict) and item.get("answer") in tuple(_REASONS):
        reading.note("rejected or skipped spans, left out")
        return None
    if not isinstance(item, dict):
        raise reading.error(f"expected an object with 'start' and 'end', got {preview(item)}.")
    label = item.get("label")
    type, concepts = type_and_concepts(label) if isinstance(label, str) else ("", ())
    if isinstance(item.get("kb_id"), str):
        concepts = parse_concepts(item["kb_id"], type=type)[0] or concepts
    surface = item.get("text") if isinstance(item.get("text"), str) else _text_of_tokens(item, tokens)
    own = {name: value for name, value in item.items() if name not in _SPAN}
    return MarkedSpan(
        whole_number(item.get("start"), "start", reading),
        whole_number(item.get("end"), "end", reading),
        surface,
        type,
        concepts or tuple(chosen),
        reading.item,
        {"prodigy": own} if own else {},
    )


def _chosen(record: dict[str, Any]) -> tuple[str, ...]:
    """The concepts of the accepted option; none if it means that no option applies."""
    options, accepted = record.get("options"), record.get("accept")
    if not isinstance(options, list) or not isinstance(accepted, list) or len(accepted) != 1:
        return ()
    known = {
        option.get("id")
        for option in options
        if isinstance(option, dict) and isinstance(option.get("id"), str)
    }
    (choice,) = accepted
    if not isinstance(choice, str) or choice not in known or choice.upper().startswith("NIL"):
        return ()
    return parse_concepts(choice)[0]


def _text_of_tokens(item: dict[str, Any], tokens: Any) -> str | None:
    """The text of a span according to its tokens; None without tokens."""
    first, last = item.get("token_start"), item.get("token_end")
    if not isinstance(tokens, list) or type(first) is not int or type(last) is not int:
        return None
    inside = tokens[first : last + 1] if 0 <= first <= last < len(tokens) else []
    pieces: list[str] = []
    previous = None
    for token in inside:
        if not isinstance(token, dict) or not isinstance(token.get("text"), str):
            return None
        start, end = token.get("start"), token.get("end")
        if previous is not None and type(start) is int and start > previous:
            pieces.append(" ")
        pieces.append(token["text"])
        previous = end if type(end) is int else None
    return "".join(pieces) or None
