"""PubTator: `ID|t|title`, `ID|a|abstract`, then a tab-separated row per mention; documents separated by blank lines.

The title and the abstract are joined by one space, which is how the offsets count. Kept in `extra` and written back:

    title (document)     length of the title
    pubtator (document)  {"relations": rows that are no mentions, without their first column}
    class (mention)      the NCBI disease corpus's class (Modifier …), whose `type` is "Disease"
    combined (mention)   the concepts describe the mention only together (`+`)
    parts (mention)      the texts of a composite's parts, one per concept (BC5CDR's seventh column)
    pubtator (mention)   the text, the concept field or further columns, where linnet would write them differently
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from linnet.archive import starts_as_zip
from linnet.compression import HEAD, compression_of
from linnet.corpora.ids import format_concepts, parse_concepts
from linnet.corpora.lines import lines
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.refusal import Refuse, stop
from linnet.corpora.spans import checked
from linnet.errors import DataError
from linnet.files import open_output
from linnet.types import Document, Mention

__all__ = ["HEADER", "read_pubtator", "write_pubtator"]

HEADER = re.compile(r"^([^|\t]+)\|([ta])\|(.*)$", re.DOTALL)
_NCBI_CLASSES = frozenset({"SpecificDisease", "DiseaseClass", "CompositeMention", "Modifier"})
_HOLDS = frozenset({"mentions", "type", "concepts", "title", "class", "combined", "parts", "pubtator"})
_BREAKS = str.maketrans("\n\r\t", "   ")
_Line = tuple[int, str | DataError]


def read_pubtator(path: str | Path, *, refuse: Refuse = stop) -> Iterator[Document]:
    """Documents in file order, as they are read; mentions in row order. Raises or refuses DataError and OffsetError.

    A row that is malformed or whose offsets do not fit is refused alone, the document when its text is not whole.
    """
    for block, layout in _blocks(path):
        try:
            document = _document(block, layout, path, refuse)
        except DataError as error:
            refuse(error)
        else:
            yield document


def write_pubtator(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write documents; what came from a PubTator file comes out byte for byte (line ends as `\\n`).

    Without a known title the first line is the title. Line breaks and tabs become spaces, which keeps the offsets.
    """
    lost: Counter[str] = Counter()
    ended = True
    with open_output(path) as stream:
        for number, document in enumerate(documents):
            layout = document.extra.get("pubtator", {}).get("layout", {})
            lost += unheld(document, _HOLDS)
            stream.write("\n" * (layout.get("blank", int(number > 0)) + (not ended)))
            rows, missed = _rows(document)
            lost += missed
            ended = layout.get("ended", True)
            stream.write("\n".join(rows) + ("\n" if ended else ""))
    return Losses(lost)


def _blocks(path: str | Path) -> Iterator[tuple[list[_Line], dict[str, Any]]]:
    """The lines of each document, and how it is laid out: blank lines before it, a line end at its end."""
    block: list[_Line] = []
    blank = before = documents = 0
    for number, line in lines(path):
        starts = isinstance(line, str) and "|t|" in line and (found := HEADER.match(line)) and found[2] == "t"
        if block and (line == "" or starts):
            yield block, _layout(before, documents)
            block, documents = [], documents + 1
        if line == "":
            blank += 1
            continue
        if not block:
            before, blank = blank, 0
        block.append((number, line))
    if block:
        ended = blank > 0 or _ends_with_newline(path)
        yield block, _layout(before, documents) | ({} if ended else {"ended": False})


def _layout(blank: int, documents: int) -> dict[str, Any]:
    return {} if blank == int(documents > 0) else {"blank": blank}


def _ends_with_newline(path: str | Path) -> bool:
    """Whether the last line has an end; taken for granted where one cannot look twice (a pipe, a packed file)."""
    if str(path) == "-" or not Path(path).is_file():
        return True
    with Path(path).open("rb") as stream:
        head = stream.read(HEAD)
        if compression_of(head) or starts_as_zip(head):
            return True
        stream.seek(-1, 2)
        return stream.read(1) == b"\n"


def _document(block: Sequence[_Line], layout: dict[str, Any], path: str | Path, refuse: Refuse) -> Document:
    for _, line in block:
        if isinstance(line, DataError):
            raise line
    kept = [(number, line) for number, line in block if isinstance(line, str)]
    number, line = kept[0]
    header = HEADER.match(line)
    if not header or header[2] != "t":
        raise DataError(
            f"expected 'ID|t|title', got '{line[:60]}'. Every document starts with its title line.",
            path=path,
            line=number,
        )
    id, title, abstract, rows = header[1], header[3], "", kept[1:]
    follows = HEADER.match(rows[0][1]) if rows else None
    if follows:
        if follows[1] != id:
            raise DataError(
                f"abstract of '{follows[1]}' under the title of '{id}'.", path=path, line=rows[0][0]
            )
        abstract, rows = follows[3], rows[1:]
    text = f"{title} {abstract}" if abstract else title
    mentions: list[Mention] = []
    relations: list[str] = []
    empty = Document(id, text)
    for number, row in rows:
        try:
            _take(row, empty, mentions, relations, path, number)
        except DataError as error:
            refuse(error)
    if not follows:
        layout = layout | {"abstract": False}
    own = ({"relations": relations} if relations else {}) | ({"layout": layout} if layout else {})
    return Document(id, text, tuple(mentions), {"title": len(title)} | ({"pubtator": own} if own else {}))


def _take(
    row: str, document: Document, mentions: list[Mention], relations: list[str], path: str | Path, line: int
) -> None:
    """Append what the row says to `mentions` or `relations`."""
    cells = row.split("\t")
    if cells[0] != document.id:
        raise DataError(
            f"row of '{cells[0][:40]}' under document '{document.id}'. Put a blank line before each document, "
            "and tabs between columns.",
            path=path,
            line=line,
        )
    numbered = [cell.isascii() and cell.strip().isdigit() for cell in cells[1:3]]
    if len(cells) in (4, 5) and not any(numbered):
        relations.append("\t".join(cells[1:]))
        return
    if len(cells) < 5 or not all(numbered):
        raise DataError(
            f"expected ID, start, end, text, type, concept separated by tabs, got {len(cells)} columns: '{row[:60]}'.",
            path=path,
            line=line,
        )
    start, end, type = int(cells[1]), int(cells[2]), cells[4]
    surface = checked(
        document.text, start, end, cells[3], path=path, line=line, where=f"document {document.id}"
    )
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
    mentions.append(Mention(document, start, end, surface, type, concepts, extra=extra))


def _rows(document: Document) -> tuple[list[str], Counter[str]]:
    lost: Counter[str] = Counter()
    own = document.extra.get("pubtator", {})
    id = _cell(document.id, lost, "exact document ids").replace("|", "_") or "_"
    if "|" in document.id:
        lost["exact document ids"] += 1
    cut, text = _title_length(document), document.text.translate(_BREAKS)
    if text != document.text:
        lost["line breaks and tabs of the text (now spaces)"] += 1
    rows = [f"{id}|t|{text[:cut]}"]
    if cut < len(text) or own.get("layout", {}).get("abstract", True):
        rows.append(f"{id}|a|{text[cut + 1 :]}")
    for mention in document.mentions:
        surface = text[mention.start : mention.end]
        read = mention.extra.get("pubtator", {}).get("text_as_written", surface)
        surface = read if read.split() == surface.split() else surface
        rows.append("\t".join([id, str(mention.start), str(mention.end), surface, *_labels(mention, lost)]))
    rows.extend(f"{id}\t{relation}" for relation in own.get("relations", ()))
    return rows, lost


def _title_length(document: Document) -> int:
    """Where the title ends: as read, if a space stands there; else at the first line break; else at the end."""
    text, known = document.text, document.extra.get("title")
    if isinstance(known, int) and (known == len(text) or text[known : known + 1].isspace()):
        return known
    at = text.find("\n")
    return at if 0 <= at < len(text) - 1 else len(text)


def _labels(mention: Mention, lost: Counter[str]) -> list[str]:
    """Type, concept and further columns; what was read is repeated as long as it still says the same."""
    own, combined = mention.extra.get("pubtator", {}), bool(mention.extra.get("combined"))
    type = mention.extra["class"] if mention.type == "Disease" and "class" in mention.extra else mention.type
    said = (tuple(mention.concepts), combined and len(mention.concepts) > 1)
    cells = [_cell(type, lost, "exact types")]
    if (
        "concept_as_written" in own
        and parse_concepts(own["concept_as_written"] or "", type=mention.type) == said
    ):
        if own["concept_as_written"] is None:
            return cells
        cells.append(own["concept_as_written"])
    else:
        cells.append(_cell(format_concepts(mention.concepts, combined=said[1]), lost, "exact concept ids"))
        if parse_concepts(cells[-1], type=mention.type) != said:
            lost["exact concept ids"] += 1
    parts = mention.extra.get("parts")
    if parts and len(parts) == len(mention.concepts):
        cells.append(_cell("|".join(part.replace("|", "/") for part in parts), lost, "exact texts of parts"))
    elif parts:
        lost["texts of composite parts"] += 1
    else:
        cells.extend(own.get("further_columns", ()))
    return cells


def _cell(text: str, lost: Counter[str], kind: str) -> str:
    clean = text.translate(_BREAKS)
    lost[kind] += clean != text
    return clean
