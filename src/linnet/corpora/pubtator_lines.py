"""Lines of a PubTator file, grouped by document."""

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
    """One line. A passage has a letter (`t`, `a`, …) and its text; other lines have no letter, and their text is the line."""

    number: int
    id: str
    letter: str
    text: str
    error: DataError | None = None


@dataclass(slots=True)
class Block:
    """The passages from one title to the next, and the rows between and after them."""

    passages: list[Line] = field(default_factory=list)
    rows: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class Unit:
    """The lines of one document; None for a blank line.

    blank  number of blank lines before it        after  number of blank lines at the end of the file
    """

    blank: int
    lines: list[Line | None]
    after: int = 0

    @property
    def written(self) -> list[Line]:
        """The non-blank lines."""
        return [line for line in self.lines if line is not None]

    def blocks(self) -> list[Block]:
        """The document's blocks; lines before any title belong to the first."""
        blocks = [Block()]
        for line in self.written:
            if line.letter == "t" and any(passage.letter == "t" for passage in blocks[-1].passages):
                blocks.append(Block())
            (blocks[-1].passages if line.letter else blocks[-1].rows).append(line)
        return blocks


def units(path: str | Path) -> Iterator[Unit]:
    """The lines of each document, in file order.

    A title begins a document, or another block if its id is that of the document before it. Rows with its id directly
    before it belong to it. A blank line alone does not end a document, as it may separate abstract and rows; but after a
    blank line, an abstract or an undecodable line begins another document.
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
            claimed = _claim_rows(unit, line) if line.letter == "t" else Unit(blank, [])
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
        *versions, last = _separate(unit)
        last.after = blank
        yield from (*versions, last)


def _lines(path: str | Path) -> Iterator[Line | None]:
    for number, text in lines(path):
        if isinstance(text, DataError):
            yield Line(number, "", "", "", text)
            continue
        text = text.rstrip("\r").removeprefix(
            "\ufeff"
        )  # inside a file, the mark is left over from joining files
        if "\r" in text and _OLD_MAC.search(text):
            message = (
                "lines end with a bare carriage return, as on old Macs. Convert: tr '\\r' '\\n' < FILE > NEW"
            )
            yield Line(number, "", "", "", DataError(message, path=path, line=number))
        elif not text.strip():
            yield None
        elif passage := _PASSAGE.match(text):
            yield Line(number, passage[1], passage[2], passage[3])
        else:
            yield Line(number, text.partition("\t")[0], "", text)


def _claim_rows(unit: Unit, title: Line) -> Unit:
    """Move the rows at the unit's end that belong to the title after them to a new unit."""
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
    """The unit, or its blocks as separate units if they are versions of one document, that is, repeat the first title.

    The NCBI disease corpus holds one abstract twice, which counts as two documents. The caller decides whether versions
    may differ.
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
        version = unit.lines[low:high]
        trailing = 0
        while version and version[-1] is None:
            version.pop()
            trailing += 1
        yield Unit(blank, version)
        blank = trailing


def _index(lines: Sequence[Line | None], wanted: Line) -> int:
    return next(index for index, line in enumerate(lines) if line is wanted)
