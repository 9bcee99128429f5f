"""How the passages of a PubTator document form one text, inferred from the offsets of its rows.

Passages are joined by one space, which the offsets of most files count. Files with other conventions are recognised by the
rows that fit:

    trailing spaces of a passage are not counted (PubTator Central's dumps)
    no space is counted for an empty passage
    the offsets restart in each block of a document
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from linnet.corpora.reading import FileReading
from linnet.corpora.spans import fits

__all__ = ["Layout", "Passage", "Placed", "lay_out"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as written. block: number of its block, from 0."""

    letter: str
    text: str
    block: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """The mention of a row. block: number of its block; start, end: as written; surface: its text."""

    block: int
    start: int
    end: int
    surface: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The text and the place of each passage in it.

    spans   [start, end) of each passage
    starts  start of each block
    local   whether offsets count from the start of their block
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    starts: tuple[int, ...]
    local: bool

    def base(self, block: int) -> int:
        """Number to add to the offsets of the block's rows."""
        return self.starts[block] if self.local else 0


def lay_out(passages: Sequence[Passage], rows: Iterable[Placed], id: str, reading: FileReading) -> Layout:
    """The layout that fits most rows; ties go to the fewest and first conventions in the list above.

    Raises DataError if the rows of later blocks fit both continuing and restarting offsets.
    """
    many = len({passage.block for passage in passages}) > 1
    last = max((i for i, passage in enumerate(passages) if passage.text), default=0)
    trailing = any(passage.text != passage.text.rstrip() for passage in passages[:last])
    empty = any(not passage.text for passage in passages[:last])
    choices = [
        _layout(passages, last, strip=strip, skip=skip, local=local)
        for strip, skip, local in product(
            (False, True)[: 1 + trailing], (False, True)[: 1 + empty], (False, True)[: 1 + many]
        )
    ]
    if len(choices) == 1:
        return choices[0]
    rows = list(rows)
    scores = [_score(layout, rows) for layout in choices]
    best = max(scores)
    first = choices[scores.index(best)]
    rivals = {layout.local for layout, score in zip(choices, scores, strict=True) if score == best}
    if len(rivals) > 1 and _score(first, [row for row in rows if row.block])[0]:
        raise reading.error(
            f"the blocks of document {id} are ambiguous: their offsets fit both if they continue from block to block "
            "and if they restart. Give each block its own id."
        )
    return first


def _layout(passages: Sequence[Passage], last: int, *, strip: bool, skip: bool, local: bool) -> Layout:
    """Passages joined by a space.

    last   the last passage with a text, after which nothing is counted
    strip  drop trailing spaces        skip  count no space for empty passages
    """
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    starts: list[int] = []
    at = 0
    for index, passage in enumerate(passages):
        text = passage.text.rstrip() if strip and index < last else passage.text
        counted = 0 < index <= last and not (skip and (not text or not at))
        if counted:
            pieces.append(" ")
            at += 1
        if len(starts) <= passage.block:
            starts.append(at)
        spans.append((at, at + len(text)))
        pieces.append(text)
        at += len(text)
    return Layout("".join(pieces), tuple(spans), tuple(starts), local)


def _score(layout: Layout, rows: Sequence[Placed]) -> tuple[int, int]:
    """Number of rows that fit their place, and of those, the number that point into their own block."""
    fitting = own = 0
    ends = (*layout.starts[1:], len(layout.text) + 1)
    for row in rows:
        base = layout.base(row.block)
        start, end = base + row.start, base + row.end
        if fits(layout.text, start, end, row.surface):
            fitting += 1
            own += layout.starts[row.block] <= start and end <= ends[row.block]
    return fitting, own
