"""The lines of a batch in chunks, each small enough to be linked quickly in one call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from linnet.http.refusals import Malformed, Refusal
from linnet.io.json import loads
from linnet.serve.line_reader import Line, LineReader
from linnet.serve.problems import invalid
from linnet.serve.request_models import MentionIn, TextIn, size_refusal
from linnet.serve.settings import Limits

__all__ = ["Chunk", "Item", "read_chunks"]

_COST = 150.0  # of a chunk

Item = MentionIn | TextIn


@dataclass(slots=True)
class Chunk:
    """Consecutive lines, with their numbers: each an item, or why it is refused. size: bytes."""

    items: list[tuple[int, Item | Refusal]] = field(default_factory=list)
    cost: float = 0.0
    size: int = 0


async def read_chunks(
    lines: LineReader, *, read: Callable[[Any], Item], cost: Callable[[list[Any]], float], limits: Limits
) -> AsyncIterator[Chunk]:
    """A chunk ends when it is large enough, when the document changes, or when no further line has arrived yet.

    read  the item of a line's JSON value; raises ValidationError
    cost  of items, see `Task.cost`
    """
    chunk, document = Chunk(), ""
    while True:
        line = lines.next_buffered()
        if line is None and chunk.items and not document:
            yield chunk
            chunk = Chunk()
        if line is None:
            line = await lines.next()
        if line is None:
            break
        item = _parsed(line, read, limits)
        item_document = item.document if isinstance(item, MentionIn) else ""
        may_end = not item_document or item_document != document
        size = 0 if isinstance(line.data, Refusal) else len(line.data)
        full = len(chunk.items) >= limits.mentions or chunk.size + size > limits.body
        if chunk.items and (full or (may_end and chunk.cost >= _COST)):
            yield chunk
            chunk = Chunk()
        chunk.size += size
        if not isinstance(item, Refusal):
            chunk.cost += cost([item])
            document = item_document
        chunk.items.append((line.number, item))
    if chunk.items:
        yield chunk


def _parsed(line: Line, read: Callable[[Any], Item], limits: Limits) -> Item | Refusal:
    if isinstance(line.data, Refusal):
        return line.data
    try:
        item = read(loads(line.data))
    except ValidationError as error:
        return invalid(error.errors(include_input=False, include_url=False))
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", None) or "not UTF-8, nested too deeply, or with too long a number"
        return Malformed(f"The line is not JSON: {reason}.", expected="Expected an object on one line.")
    refusal = size_refusal(item, limits)
    return refusal or (item if item.id else item.model_copy(update={"id": str(line.number)}))
