r"""WebAnno TSV 3, as exported by INCEpTION and WebAnno: a header of layers, then sentences with one token per line.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value

    #Text=Gout hurts .
    1-1	0-4	Gout	MESH:D006073	Disease

`[1]` after a value joins the tokens of one annotation, `|` separates annotations of one token, `_` means none, `*` an unset
value, and `\` escapes the next letter. `1-2.1` is a sub-token of `1-2`. The file does not hold the text between sentences;
it is filled with line breaks. Offsets count UTF-16 units, as in Java.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from linnet.corpora.lines import lines
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.uima_layers import Structure, is_mention, layer_of, mention_fields
from linnet.errors import DataError
from linnet.formats.refusal import Refuse, stop
from linnet.types import Document

__all__ = ["read_webanno"]

WEBANNO = "#FORMAT=WebAnno TSV 3"

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
    """A token or sub-token. start, end: in UTF-16 units."""

    line: int
    start: int
    end: int
    token: str
    cells: list[str]


@dataclass(slots=True)
class Annotation:
    """An annotation under construction. features: values by name."""

    start: int
    end: int
    line: int
    features: dict[str, str] = field(default_factory=dict)


def read_webanno(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """The document of a file, whose id is the file name, or those of a folder's `.tsv` files in file name order.

    Raises or refuses DataError and OffsetError; a misfitting row is refused with its whole document.
    """
    place = Path(path)
    folder = str(path) != "-" and place.is_dir()
    files = sorted(place.glob("*.tsv")) if folder else [path]
    readings = ((FileReading(file, refuse, note),) for file in files)
    return FileReading(path, refuse).each(readings, _document)


def _document(reading: FileReading) -> Document:
    id = Path(reading.path).name.removesuffix(".tsv")
    layers, sentences, rows = _parsed(reading)
    text = _text(sentences, rows, reading)
    spans: list[MarkedSpan] = []
    for layer in layers:
        if layer.kind != "SP" or not is_mention(Structure("", layer.type, {})):
            count = _filled(layer, rows)
            what = {"SP": "tokens annotated in", "RL": "relations of", "CH": "chain links of"}[layer.kind]
            reading.note(f"{what} the layer {layer_of(layer.type)}, left out", count)
            continue
        for annotation in _annotations(layer, rows, reading):
            start, end = annotation.start, annotation.end
            if start == end:
                reading.note("annotations of no character (zero width), left out")
                continue
            where = f"document {id}, {layer_of(layer.type)} in line {annotation.line}"
            type, concepts, extra = mention_fields(Structure("", layer.type, annotation.features), {})
            kept = {"webanno": extra} if extra else {}
            spans.append(MarkedSpan(start, end, None, type, concepts, where, kept))
    spans.sort(key=lambda span: (span.start, span.end))
    return document_of(id, text, spans, "utf-16", reading)


def _parsed(reading: FileReading) -> tuple[list[Layer], list[tuple[int, str]], list[Row]]:
    """The layers, the sentences (index of the first row, text) and the rows."""
    layers: list[Layer] = []
    sentences: list[tuple[int, str]] = []
    rows: list[Row] = []
    columns = 3
    for number, line in lines(reading.path):
        if isinstance(line, DataError):
            raise line
        if number == 1:
            if not line.startswith(WEBANNO):
                raise reading.on(number).error(
                    f"expected '{WEBANNO}' in the first line, got '{line[:60]}'. Export it as WebAnno TSV 3, or as UIMA CAS XMI."
                )
        elif match := re.match(r"^#T_(SP|RL|CH)=([^|]*)\|?(.*)$", line):
            features = tuple(match[3].split("|"))
            layers.append(Layer(match[1], match[2].strip(), features, columns))
            columns += len(features)
        elif line.startswith("#Text="):
            sentences.append((len(rows), _unescaped(line[len("#Text=") :])))
        elif line.strip() and not line.startswith("#"):
            rows.append(_row(line, columns, reading.on(number)))
        elif line.startswith("#") and _UNIT.match(line.split("\t")[0][1:]):
            raise reading.on(number).error("a token row begins with '#'. Export the document again.")
    if not rows:
        raise reading.error("has no token. Export the document again.")
    if not sentences:
        raise reading.error("has no text (lines that begin with '#Text='). Export the document again.")
    return layers, sentences, rows


def _row(line: str, columns: int, reading: FileReading) -> Row:
    cells = line.split("\t")
    if cells and cells[-1] == "" and len(cells) == columns + 1:
        cells.pop()
    match = _OFFSETS.match(cells[1]) if len(cells) > 1 else None
    if not _UNIT.match(cells[0]) or not match or len(cells) != columns or (columns > 3 and not cells[-1]):
        raise reading.error(
            f"expected {columns} columns: token number, offsets, token and the features of the header; got '{line[:60]}'."
        )
    return Row(reading.line or 0, int(match[1]), int(match[2]), _unescaped(cells[2]), cells[3:])


def _text(sentences: Sequence[tuple[int, str]], rows: Sequence[Row], reading: FileReading) -> str:
    """The text with each sentence at the offset of its first token; each token is checked."""
    units = bytearray()
    for (index, sentence), following in zip(sentences, [*sentences[1:], (len(rows), "")], strict=True):
        if index == following[0]:  # a sentence without tokens, or a further line of the same one
            continue
        first = rows[index]
        lead = len(sentence) - len(sentence.lstrip()) if not sentence.lstrip().startswith(first.token) else 0
        begin = 2 * (first.start - lead)
        if begin < len(units):
            raise reading.on(first.line).error(
                f"the sentence begins at {first.start}, before the end of the previous one."
            )
        units += "\n".encode("utf-16-le") * ((begin - len(units)) // 2)
        units += sentence.replace(_BREAKS, "\n").encode("utf-16-le", "surrogatepass")
    for row in rows:
        there = bytes(units[2 * row.start : 2 * row.end]).decode("utf-16-le", "replace")
        if there.split() != row.token.split() or (not there and row.end > row.start):
            raise reading.on(row.line).error(
                f"the text at {row.start}–{row.end} (in UTF-16 units) is '{there[:60]}', the row says '{row.token[:60]}'. "
                "Export the document again."
            )
    return units.decode("utf-16-le", "replace")


def _annotations(layer: Layer, rows: Sequence[Row], reading: FileReading) -> list[Annotation]:
    """The annotations of a layer, in the order of their first tokens."""
    by_number: dict[str, Annotation] = {}
    annotations: list[Annotation] = []
    # The column after a slot's roles names the tokens that fill the slot; their numbers belong to other annotations.
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
            raise reading.on(row.line).error(
                f"the features of the layer {layer_of(layer.type)} disagree about the token's number of annotations."
            )
        for place in range(size):
            values = {name: stack[place] for name, stack in stacks if stack}
            id = next((number for _, number in values.values() if number), "")
            annotation = by_number.get(id) if id else None
            if annotation is None:
                annotation = Annotation(row.start, row.end, row.line)
                annotations.append(annotation)
                if id:
                    by_number[id] = annotation
            annotation.start = min(annotation.start, row.start)
            annotation.end = max(annotation.end, row.end)
            for name, (value, _) in values.items():
                if value is not None and name and not name.startswith("ROLE_"):
                    annotation.features.setdefault(name, value)
    return annotations


def _stack(cell: str) -> list[tuple[str | None, str]]:
    """Value (None if unset) and number ("" for none) of each annotation in a cell."""
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
    """Split at each mark that is not escaped."""
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
    """Number of tokens that the layer annotates."""
    columns = slice(layer.first - 3, layer.first - 3 + len(layer.features))
    return sum(any(cell != "_" for cell in row.cells[columns]) for row in rows)
