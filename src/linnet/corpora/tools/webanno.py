r"""WebAnno TSV 3, as INCEpTION and WebAnno export it: a header of layers, then sentences with a token a line.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value

    #Text=Gout hurts .
    1-1	0-4	Gout	MESH:D006073	Disease

`[1]` behind a value joins the tokens of one annotation, `|` separates annotations of one token, `_` is none, `*` a value
that is not set, and `\` takes the meaning from the letter after it. `1-2.1` is a part of token `1-2`. The text between
sentences is not in the file: it is filled with line breaks. Offsets count UTF-16 units, as Java does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from linnet.corpora.lines import lines
from linnet.corpora.marks import WEBANNO
from linnet.corpora.notes import Note, ignore
from linnet.corpora.refusal import Refuse, stop
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.uima_layers import Structure, is_mention, layer_of, mention_parts
from linnet.errors import DataError
from linnet.types import Document

__all__ = ["read_webanno"]

_UNIT = re.compile(r"^\d+-\d+(?:\.\d+)?$")
_OFFSETS = re.compile(r"^(\d+)-(\d+)$")
_NUMBERED = re.compile(r"(?s)^(.*)\[(\d+)\]$")
_ESCAPE = re.compile(r"(?s)\\(->|.)")
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_BREAKS = "\f"  # stands for a line break inside a sentence


class Layer(NamedTuple):
    """A layer of the header. kind: SP (spans), RL (relations) or CH (chains); first: its first column."""

    kind: str
    type: str
    features: tuple[str, ...]
    first: int


@dataclass(slots=True)
class Row:
    """A token, or a part of one. start, end: in UTF-16 units."""

    line: int
    start: int
    end: int
    token: str
    cells: list[str]
    part: bool


@dataclass(slots=True)
class Found:
    """An annotation that is being put together. features: values by name."""

    start: int
    end: int
    line: int
    features: dict[str, str] = field(default_factory=dict)


def read_webanno(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """The one document of a file, named for it, or those of a folder's `.tsv` files in the order of their names.

    Raises or refuses DataError and OffsetError; a row that does not fit is refused with the whole document.
    """
    place = Path(path)
    folder = str(path) != "-" and place.is_dir()
    for file in sorted(place.glob("*.tsv")) if folder else [place]:
        try:
            yield _document(path if not folder else file, file.name.removesuffix(".tsv"), refuse, note)
        except DataError as error:
            refuse(error)


def _document(path: str | Path, id: str, refuse: Refuse, note: Note) -> Document:
    layers, sentences, rows = _parsed(path)
    text = _text(sentences, rows, path)
    spans: list[MarkedSpan] = []
    for layer in layers:
        if layer.kind != "SP" or not is_mention(Structure("", layer.type, {})):
            count = _filled(layer, rows)
            what = {"SP": "tokens annotated in", "RL": "relations of", "CH": "chain links of"}[layer.kind]
            note(f"{what} the layer {layer_of(layer.type)}, left out", count)
            continue
        for found in _annotations(layer, rows, path):
            if found.start == found.end:
                note("annotations of no character (zero width), left out")
                continue
            where = f"document {id}, {layer_of(layer.type)} in line {found.line}"
            type, concepts, extra = mention_parts(Structure("", layer.type, found.features), {})
            spans.append(
                MarkedSpan(
                    found.start, found.end, None, type, concepts, where, {"webanno": extra} if extra else {}
                )
            )
    spans.sort(key=lambda span: (span.start, span.end))
    return document_of(id, text, spans, unit="utf-16", path=path, line=None, refuse=refuse)


def _parsed(path: str | Path) -> tuple[list[Layer], list[tuple[int, str]], list[Row]]:
    """The layers, the sentences (index of the first row, text) and the rows."""
    layers: list[Layer] = []
    sentences: list[tuple[int, str]] = []
    rows: list[Row] = []
    columns = 3
    for number, line in lines(path):
        if isinstance(line, DataError):
            raise line
        if number == 1:
            if not line.startswith(WEBANNO):
                raise DataError(
                    f"expected '{WEBANNO}' in the first line, got '{line[:60]}'. Export it as WebAnno TSV 3, or as UIMA CAS XMI.",
                    path=path,
                    line=number,
                )
        elif match := re.match(r"^#T_(SP|RL|CH)=([^|]*)\|?(.*)$", line):
            features = tuple(match[3].split("|"))
            layers.append(Layer(match[1], match[2].strip(), features, columns))
            columns += len(features)
        elif line.startswith("#Text="):
            sentences.append((len(rows), _unescaped(line[len("#Text=") :])))
        elif line.strip() and not line.startswith("#"):
            rows.append(_row(line, columns, path, number))
        elif line.startswith("#") and _UNIT.match(line.split("\t")[0][1:]):
            raise DataError("a token row begins with '#'. Export the document again.", path=path, line=number)
    if not rows:
        raise DataError("holds no token. Export the document again.", path=path)
    return layers, sentences, rows


def _row(line: str, columns: int, path: str | Path, number: int) -> Row:
    cells = line.split("\t")
    if cells and cells[-1] == "" and len(cells) == columns + 1:
        cells.pop()
    match = _OFFSETS.match(cells[1]) if len(cells) > 1 else None
    if not _UNIT.match(cells[0]) or not match or len(cells) != columns or (columns > 3 and not cells[-1]):
        raise DataError(
            f"expected {columns} columns: token number, offsets, token and the features of the header; got '{line[:60]}'.",
            path=path,
            line=number,
        )
    return Row(number, int(match[1]), int(match[2]), _unescaped(cells[2]), cells[3:], "." in cells[0])


def _text(sentences: Sequence[tuple[int, str]], rows: Sequence[Row], path: str | Path) -> str:
    """The text with each sentence where its first token says, and each token verified."""
    units = bytearray()
    for (index, sentence), following in zip(sentences, [*sentences[1:], (len(rows), "")], strict=True):
        if index == following[0]:  # a sentence without tokens, or a further line of the same one
            continue
        first = rows[index]
        lead = len(sentence) - len(sentence.lstrip()) if not sentence.lstrip().startswith(first.token) else 0
        begin = 2 * (first.start - lead)
        if begin < len(units):
            raise DataError(
                f"the sentence begins at {first.start}, before the end of the one above.",
                path=path,
                line=first.line,
            )
        units += "\n".encode("utf-16-le") * ((begin - len(units)) // 2)
        units += sentence.replace(_BREAKS, "\n").encode("utf-16-le", "surrogatepass")
    for row in rows:
        there = bytes(units[2 * row.start : 2 * row.end]).decode("utf-16-le", "replace")
        if there.split() != row.token.split() or (not there and row.end > row.start):
            raise DataError(
                f"the text at {row.start}–{row.end} (in UTF-16 units) is '{there[:60]}', the row says '{row.token[:60]}'. "
                "Export the document again.",
                path=path,
                line=row.line,
            )
    return units.decode("utf-16-le", "replace")


def _annotations(layer: Layer, rows: Sequence[Row], path: str | Path) -> list[Found]:
    """The annotations of a layer, in the order of their first tokens."""
    joined: dict[str, Found] = {}
    all_of_them: list[Found] = []
    # The column after that of a slot's roles names tokens that fill the slot; their numbers are of other annotations.
    targets = {name for role, name in pairwise(layer.features) if role.startswith("ROLE_")}
    for row in rows:
        cells = row.cells[layer.first - 3 : layer.first - 3 + len(layer.features)]
        stacks = [
            (name, _stack(cell))
            for name, cell in zip(layer.features, cells, strict=True)
            if name not in targets
        ]
        size = max(len(stack) for _, stack in stacks)
        if any(len(stack) not in (0, size) for _, stack in stacks):
            raise DataError(
                f"the features of the layer {layer_of(layer.type)} say differently how many annotations the token has.",
                path=path,
                line=row.line,
            )
        for place in range(size):
            values = {name: stack[place] for name, stack in stacks if stack}
            id = next((number for _, number in values.values() if number), "")
            found = joined.get(id) if id else None
            if found is None:
                found = Found(row.start, row.end, row.line)
                all_of_them.append(found)
                if id:
                    joined[id] = found
            found.start, found.end = min(found.start, row.start), max(found.end, row.end)
            for name, (value, _) in values.items():
                if value is not None and name and not name.startswith("ROLE_"):
                    found.features.setdefault(name, value)
    return all_of_them


def _stack(cell: str) -> list[tuple[str | None, str]]:
    """Value (None where it is not set) and number of each annotation in a cell; empty where there is none."""
    if cell == "_":
        return []
    stack: list[tuple[str | None, str]] = []
    for piece in _split(cell, "|"):
        match = _NUMBERED.match(piece)
        numbered = match is not None and not match[1].endswith("\\")
        value, number = (match[1], match[2]) if match and numbered else (piece, "")
        stack.append((None if value in ("*", "") else _unescaped(value), number))
    return stack


def _split(cell: str, mark: str) -> list[str]:
    """Cut at each mark that is not escaped."""
    pieces, start, at = [], 0, 0
    while at < len(cell):
        if cell[at] == "\\":
            at += 2
            continue
        if cell[at] == mark:
            pieces.append(cell[start:at])
            start = at + 1
        at += 1
    return [*pieces, cell[start:]]


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text)


def _filled(layer: Layer, rows: Sequence[Row]) -> int:
    """How many tokens the layer annotates."""
    counted: Counter[bool] = Counter(
        any(cell != "_" for cell in row.cells[layer.first - 3 : layer.first - 3 + len(layer.features)])
        for row in rows
    )
    return counted[True]
