"""PubTator: `ID|t|title`, `ID|a|abstract`, then one tab-separated row per mention; blank lines between documents.

Rows without offsets in their second and third columns are relations. Further passages may have other letters, and a
document may have several blocks, each with a title, an abstract and rows. Passages are joined by one space, which the
offsets count; if the rows show that a file counts otherwise, `pubtator_layout` follows them. Kept in `extra` and written
back:

    title (document)     length of the title
    pubtator (document)  {"relations": rows that are not mentions, without their first column;
                         "passages": [letter, start, end] of each, if there are others than title and abstract}
    class (mention)      class in the NCBI disease corpus (Modifier …), whose `type` is "Disease"
    combined (mention)   the concepts describe the mention only together (`+`)
    parts (mention)      texts of the parts of a composite, one per concept (BC5CDR's seventh column)
    pubtator (mention)   text, concept field or further columns that linnet would write differently
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from linnet.corpora.ids import KEPT, opaque
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.corpora.pubtator_layout import Layout, Passage, Placed, lay_out
from linnet.corpora.pubtator_lines import Line, Unit, units
from linnet.corpora.pubtator_rows import is_mention, mention_of, whole
from linnet.corpora.pubtator_writer import lines_of
from linnet.corpora.reading import FileReading
from linnet.errors import DataError
from linnet.formats.kinds import is_zip
from linnet.formats.refusal import Refuse, stop
from linnet.io.compression import HEAD, compression_of
from linnet.io.control_characters import spaced_text
from linnet.io.files import open_output
from linnet.types import Document, Mention

__all__ = ["read_pubtator", "write_pubtator"]

_HOLDS = frozenset({"mentions", "type", "concepts", "title", "class", "combined", "parts", "pubtator"})


def read_pubtator(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order, lazily; mentions in row order. Raises or refuses DataError and OffsetError.

    A malformed row, or one whose offsets do not fit, is refused alone; the document is refused if its text is incomplete.
    """
    reading = FileReading(path, refuse, note)
    return reading.each(_numbered(path), lambda unit, number, ended: _document(unit, number, ended, reading))


def _numbered(path: str | Path) -> Iterator[tuple[Unit, int, bool]]:
    """Each document's lines, its number from 0, and whether its last line has a line end."""
    previous: tuple[Unit, int] | None = None
    for number, unit in enumerate(units(path)):
        if previous:
            yield *previous, True
        previous = unit, number
    if previous:
        yield *previous, _ends_with_newline(path)


def write_pubtator(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write documents; those read from a PubTator file are reproduced byte for byte (with line ends `\\n`).

    Without a known title, the first line is the title. Line breaks, tabs and control characters become spaces, so
    that offsets still fit.
    """
    lost: Counter[str] = Counter()
    ended = True
    with open_output(path) as stream:
        for number, document in enumerate(documents):
            layout = document.extra.get("pubtator", {}).get("layout", {})
            lost += unheld(document, _HOLDS)
            stream.write("\n" * (layout.get("blank", int(number > 0)) + (not ended)))
            ended = layout.get("ended", True)
            stream.write(spaced_text("\n".join(lines_of(document, lost)), lost) + ("\n" if ended else ""))
            stream.write("\n" * layout.get("after", 0))
    return Losses(+lost)


def _document(unit: Unit, number: int, ended: bool, reading: FileReading) -> Document:
    """The unit's document.

    number  number of documents before it        ended  whether its last line has a line end
    """
    empty, mentions, extra, own = _read(unit, reading)
    layout = own.get("layout", {})
    if unit.blank != int(number > 0):
        layout = layout | {"blank": unit.blank}
    if unit.after:
        layout = layout | {"after": unit.after}
    if not ended:
        layout = layout | {"ended": False}
    own = own | ({"layout": layout} if layout else {})
    return Document(empty.id, empty.text, mentions, extra | ({"pubtator": own} if own else {}))


def _read(
    unit: Unit, reading: FileReading
) -> tuple[Document, tuple[Mention, ...], dict[str, Any], dict[str, Any]]:
    """The document without mentions, its mentions, its `extra`, and `extra["pubtator"]` for the writer."""
    id = _checked_id(unit.written, reading)
    blocks = unit.blocks()
    passages = [
        Passage(line.letter, line.text, number)
        for number, block in enumerate(blocks)
        for line in block.passages
        if line.id == id
    ]
    rows = [(number, line) for number, block in enumerate(blocks) for line in block.rows if line.id == id]
    placed = (
        Placed(number, int(cells[1]), int(cells[2]), cells[3])
        for number, line in rows
        if len(cells := line.text.split("\t")) >= 5 and whole(cells[1]) and whole(cells[2])
    )
    layout = lay_out(passages, placed, id, reading.on(unit.written[0].number))
    empty = Document(id, layout.text)
    block_of = {line.number: number for number, line in rows}
    mentions: list[Mention] = []
    relations: list[str] = []
    order = ""
    for line in unit.lines:
        if line is None:
            order += "_"
        elif line.id == id and line.letter:
            order += "P"
        else:
            try:
                row = _row(line, empty, layout, block_of, reading.on(line.number))
            except DataError as error:
                reading.refuse(error)
            else:
                order += "R" if isinstance(row, str) else "M"
                (relations if isinstance(row, str) else mentions).append(row)  # type: ignore[arg-type]
    if len(blocks) > 1:
        reading.note("documents written in several blocks of one id, whose texts were joined")
    own = _own(passages, layout, relations, order.rstrip("_"))
    title = {"title": layout.spans[0][1]}
    return empty, tuple(mentions), title, own


def _checked_id(lines: Sequence[Line], reading: FileReading) -> str:
    """The document's id. Raises DataError if its text is incomplete."""
    for line in lines:
        if line.error:
            raise line.error
    first = next((line for line in lines if line.letter), lines[0])
    if first.letter != "t":
        message = f"expected 'ID|t|title', got '{_written(lines[0])[:60]}'. Every document starts with its title line."
        raise reading.on(lines[0].number).error(message)
    for line in lines:
        if line.letter == "a" and line.id != first.id:
            raise reading.on(line.number).error(f"abstract of '{line.id}' under the title of '{first.id}'.")
    return first.id


def _row(
    line: Line, document: Document, layout: Layout, blocks: dict[int, int], reading: FileReading
) -> Mention | str:
    """The mention of a row; for a relation, its cells without the first."""
    if line.letter or line.id != document.id:
        raise reading.error(_foreign_row(line, document.id))
    cells = line.text.split("\t")
    if not is_mention(cells, document.text, reading):
        return "\t".join(cells[1:])
    mention = mention_of(cells, document, layout.base(blocks[line.number]), reading)
    reading.note(KEPT, len(opaque(mention.concepts)))
    return mention


def _foreign_row(line: Line, id: str) -> str:
    text = _written(line)
    if "\t" not in text and text.split(None, 1)[0] == id:
        advice = "Its columns are separated by spaces. Put tabs between columns."
        return f"row of '{text[:60]}' under document '{id}'. {advice}"
    advice = "Put a blank line before each document, and tabs between columns."
    return f"row of '{line.id[:40]}' under document '{id}'. {advice}"


def _written(line: Line) -> str:
    return f"{line.id}|{line.letter}|{line.text}" if line.letter else line.text


def _own(passages: Sequence[Passage], layout: Layout, relations: list[str], order: str) -> dict[str, Any]:
    """`extra["pubtator"]`: what the writer needs besides text and mentions."""
    letters = "".join(passage.letter for passage in passages)
    spans = layout.spans
    plain = letters == "t" or (
        letters == "ta" and (spans[1][0] == spans[0][1] + 1 or (spans[1][0] == spans[1][1] == spans[0][1]))
    )
    how: dict[str, Any] = {}
    if letters == "t":
        how["abstract"] = False
    tails = [passage.text[high - low :] for passage, (low, high) in zip(passages, spans, strict=True)]
    if any(tails):
        how["tails"] = tails
    if layout.local:
        how["local"] = True
    usual = "P" * len(passages) + "M" * order.count("M") + "R" * len(relations)
    if order != usual:
        how["order"] = order
    own: dict[str, Any] = {"relations": relations} if relations else {}
    if not plain:
        own["passages"] = [[passage.letter, *span] for passage, span in zip(passages, spans, strict=True)]
    return own | ({"layout": how} if how else {})


def _ends_with_newline(path: str | Path) -> bool:
    """Whether the last line has a line end; assumed for input that cannot be read twice (a pipe, a compressed file)."""
    if str(path) == "-" or not Path(path).is_file():
        return True
    with Path(path).open("rb") as stream:
        head = stream.read(HEAD)
        if compression_of(head) or is_zip(head):
            return True
        stream.seek(-1, 2)
        return stream.read(1) == b"\n"
