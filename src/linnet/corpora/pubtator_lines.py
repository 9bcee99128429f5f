"""The lines of a PubTator file, and which of them belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from linnet.corpora.lines import lines
from linnet.errors import DataError

__all__ = ["Block", "Line", "Unit", "units"]

"""A title or abstract: id, letter, text."""
_PASSAGE = re.compile(r"^([^|\t]+)\|(\w{1,20})\|(.*)$", re.DOTALL)
_OLD_MAC = re.compile(r"\r[^|\t\r]+(?:\|\w{1,20}\||\t\d+\t\d+\t)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line. A passage has a letter (`t`, `a`, …) and its text; any other has none, and its text is the line."""

    number: int
    id: str
    letter: str
    text: str
    error: DataError | None = None


@dataclass(slots=True)
class Block:
    """Passages from a title to the next one, and the rows among and after them."""

    passages: list[Line] = field(default_factory=list)
    rows: list[Line] = field(default_factory=list)

    def texts(self) -> list[tuple[str, str]]:
        """Letter and text of each passage."""
        return [(line.letter, line.text) for line in self.passages]


@dataclass(slots=True)
class Unit:
    """The lines of one document, None standing for a blank one.

    blank  how many blank lines stand before it        after  and at the end of the file
    """

    blank: int
    lines: list[Line | None]
    after: int = 0

    @property
    def written(self) -> list[Line]:
        """The lines that are not blank."""
        return [line for line in self.lines if line is not None]

    def blocks(self) -> list[Block]:
        """The document's blocks; one without a title is the first."""
        blocks = [Block()]
        for line in self.written:
            if line.letter == "t" and any(passage.letter == "t" for passage in blocks[-1].passages):
                blocks.append(Block())
            (blocks[-1].passages if line.letter else blocks[-1].rows).append(line)
        return blocks


def units(path: str | Path) -> Iterator[Unit]:
    """The lines of each document, in file order.

    A title begins a document, unless its id is that of the document before it: then it begins another block of that
    one. Rows of its id directly before it are its own. A blank line ends nothing by itself, so that one may stand
    between the abstract and the rows; but an abstract, or a line that cannot be decoded, begins another document after it.
    """
    unit = Unit(0, [])
    id: str | None = None
    blank = 0
    for line in _lines(path):
        if line is None:
            blank += 1
            continue
        begins = line.letter == "t" or bool(blank and (line.letter == "a" or line.error))
        if not unit.lines:
            unit.blank, id, blank = blank, line.id if line.letter else None, 0
        elif begins and line.id != id:
            claimed = _claim(unit, line) if line.letter == "t" else Unit(blank, [])
            if unit.lines:
                yield from _separate(unit)
            if claimed.lines:
                claimed.lines += [None] * blank
            else:
                claimed.blank = blank
            unit, id, blank = claimed, line.id if line.letter else None, 0
        unit.lines += [*[None] * blank, line]
        blank = 0
    if unit.lines:
        *parts, last = _separate(unit)
        last.after = blank
        yield from (*parts, last)


def _lines(path: str | Path) -> Iterator[Line | None]:
    for number, text in lines(path):
        if isinstance(text, DataError):
            yield Line(number, "", "", "", text)
            continue
        text = text.rstrip("\r").removeprefix("\ufeff")  # a mark inside a file is left from joining files
        if "\r" in text and _OLD_MAC.search(text):
            message = (
                "lines end in carriage returns alone, as on old Macs. Convert: tr '\\r' '\\n' < FILE > NEW"
            )
            yield Line(number, "", "", "", DataError(message, path=path, line=number))
        elif not text.strip():
            yield None
        elif passage := _PASSAGE.match(text):
            yield Line(number, passage[1], passage[2], passage[3])
        else:
            yield Line(number, text.partition("\t")[0], "", text)


def _claim(unit: Unit, title: Line) -> Unit:
    """Take the rows at the unit's end that are those of the title after them."""
    cut = len(unit.lines)
    while cut and ((line := unit.lines[cut - 1]) is None or (line.id == title.id and not line.letter)):
        cut -= 1
    while cut < len(unit.lines) and unit.lines[cut] is None:
        cut += 1
    claimed, unit.lines = unit.lines[cut:], unit.lines[:cut]
    blank = 0
    while claimed and unit.lines and unit.lines[-1] is None:
        unit.lines.pop()
        blank += 1
    return Unit(blank if unit.lines else unit.blank, claimed)


def _separate(unit: Unit) -> Iterator[Unit]:
    """The unit, or each of its blocks where they are versions of one document: a later one has the first one's title.

    The NCBI disease corpus holds one abstract twice, which counts as two documents. Whether versions may differ, the
    caller decides.
    """
    blocks = unit.blocks()
    titles = [block.passages[0].text.strip() if block.passages else "" for block in blocks]
    if not titles[0] or titles[0] not in titles[1:]:
        yield unit
        return
    starts = [block.passages[0] for block in blocks[1:]]
    cuts = [_index(unit.lines, line) for line in starts]
    blank = unit.blank
    for low, high in zip([0, *cuts], [*cuts, len(unit.lines)], strict=True):
        part = unit.lines[low:high]
        trailing = 0
        while part and part[-1] is None:
            part.pop()
            trailing += 1
        yield Unit(blank, part)
        blank = trailing


def _index(lines: Sequence[Line | None], wanted: Line) -> int:
    return next(index for index, line in enumerate(lines) if line is wanted)
