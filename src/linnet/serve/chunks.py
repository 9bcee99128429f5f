"""The lines of a batch as chunks of what is quick to link together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from linnet.serve.bodies import MentionIn, TextIn
from linnet.serve.lines import Line, Lines
from linnet.serve.problems import invalid
from linnet.serve.refusals import Malformed, Refusal
from linnet.serve.settings import Limits
from linnet.serve.sizes import refused_size

__all__ = ["Chunk", "Item", "chunks"]

_QUICK = 150.0  # cost of a chunk

Item = MentionIn | TextIn


@dataclass(slots=True)
class Chunk:
    """Consecutive lines: each an item, or what is wrong with it. size: their bytes."""

    items: list[tuple[int, Item | Refusal]] = field(default_factory=list)
    cost: float = 0.0
    size: int = 0


async def chunks(
    lines: Lines, *, read: Callable[[bytes], Item], cost: Callable[[list[Any]], float], limits: Limits
) -> AsyncIterator[Chunk]:
    """Handed on when they are large enough, when the document changes, or when the client waits for answers.

    read    a line of JSON as an item, raises ValidationError
    cost    how long items take, in the units of `Work.cost`
    """
    chunk, document = Chunk(), ""
    while True:
        line = lines.next_there()
        if line is None and chunk.items and not document:
            yield chunk
            chunk = Chunk()
        if line is None:
            line = await lines.next()
        if line is None:
            break
        item = _item(line, read, limits)
        named = item.document if isinstance(item, MentionIn) else ""
        whole = not named or named != document
        size = 0 if isinstance(line.data, Refusal) else len(line.data)
        full = len(chunk.items) >= limits.mentions or chunk.size + size > limits.body
        if chunk.items and (full or (whole and chunk.cost >= _QUICK)):
            yield chunk
            chunk = Chunk()
        chunk.size += size
        if not isinstance(item, Refusal):
            chunk.cost += cost([item])
            document = named
        chunk.items.append((line.number, item))
    if chunk.items:
        yield chunk


def _item(line: Line, read: Callable[[bytes], Item], limits: Limits) -> Item | Refusal:
    if isinstance(line.data, Refusal):
        return line.data
    try:
        item = read(line.data)
    except ValidationError as error:
        errors = error.errors(include_input=False, include_url=False)
        if errors[0]["type"] == "json_invalid":
            said = str(errors[0].get("ctx", {}).get("error", "malformed"))
            return Malformed(f"The line is not JSON: {said}.", expected="Expected an object on one line.")
        return invalid(errors)
    refused = refused_size(item, limits)
    return refused or (item if item.id else item.model_copy(update={"id": str(line.number)}))
