"""CoNLL: one token and its tag per line, a blank line after each sentence, `-DOCSTART-` before each document.

The first column is the token (or the second, if the first numbers the tokens of each sentence), the last the tag: `O`,
`B-Disease`, `I-Disease`. IOB1, IOB2, BIOES, BILOU and BMEWO are read, also as `B_Disease` and `B:Disease`; `B` alone is a
mention without type. IOB2 is written. Tokens are joined by a space, sentences by a line break. The id follows
`-DOCSTART-`, `# newdoc id =` or `###MEDLINE:`; else it is the document's number. Other comments (`# …`) are counted and
left out. `extra["conll"]["columns"]` holds the other columns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from linnet.corpora.conll_rows import START, TAG, cells_of, is_comment
from linnet.corpora.lines import lines
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.errors import DataError
from linnet.formats.refusal import Refuse, stop
from linnet.io.control_characters import spaced, spaced_document
from linnet.io.files import open_output
from linnet.types import Document, Mention
from linnet.words.sentences import split_sentences

__all__ = ["read_conll", "write_conll"]

_INSIDE = ("I", "M", "E", "L")  # continue a mention
_OPEN = ("B", "I", "M")  # a mention may continue after these
_DOCUMENT = re.compile(
    r"^#+\s*(?:newdoc\b(?:\s+id\s*=\s*(\S+))?|(?:doc_id|document_id|pmid)\s*[=:]\s*(\S+)|(MEDLINE:\S+))", re.I
)
_MARKER = re.compile(r"^<(/?)([A-Za-z]\w*)>\s+O\s*$")
_TOKEN = re.compile(r"[^\W_]+|[^\s]")
_WHOLE = re.compile(r"[^ \n]+")
_LINE = re.compile(r"[^\n]+")
_HOLDS = frozenset({"mentions", "type", "conll"})
_Line = tuple[int, str]


def read_conll(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order, lazily. Raises or refuses DataError, one document at a time."""
    reading = FileReading(path, refuse, note)
    blocks = (
        (id or str(number), block, reading) for number, (id, block) in enumerate(_blocks(reading), start=1)
    )
    return (document for document in reading.each(blocks, _document) if document.text)


def write_conll(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write tokens and IOB2 tags, separated by a tab. Tokens are split at the borders of mentions.

    Of overlapping mentions, the first is kept, and among those the longest.
    """
    lost: Counter[str] = Counter()
    with open_output(path) as stream:
        for document in documents:
            lost += unheld(document, _HOLDS)
            document = spaced_document(document, lost)
            own = document.extra.get("conll", {}) if _aligned(document) else {}
            stream.write(f"{START}\t{' '.join(spaced(document.id).split()) or 'O'}\tO\n\n")
            kept = _apart(document.mentions)
            spans = (
                [m.span() for m in _LINE.finditer(document.text)] if own else split_sentences(document.text)
            )
            sentences = _joined(spans, kept)
            lost["overlapping mentions"] += len(document.mentions) - len(kept)
            if not own:
                lost["white space and sentence borders, in documents"] += 1
            columns = iter(own.get("columns", ()))
            written = 0
            for start, end in sentences:
                for token, tag in _tagged(document.text, start, end, kept, whole=bool(own)):
                    written += tag.startswith("B")
                    beside = list(next(columns, ()))
                    before = [beside.pop(0)] if beside and own.get("numbered") else []
                    stream.write(spaced("\t".join([*before, token, *beside, tag])) + "\n")
                stream.write("\n")
            lost["mentions of spaces alone"] += len(kept) - written
    return Losses(+lost)


def _blocks(reading: FileReading) -> Iterator[tuple[str, list[_Line]]]:
    id, block, bad, any_line, columns = "", list[_Line](), False, False, 0
    for number, line in lines(reading.path):
        if isinstance(line, DataError):
            reading.refuse(line)
            bad = True
            continue
        comment = is_comment(line, columns)
        named = _DOCUMENT.match(line) if comment else None
        if line.startswith(START) or named:
            if any_line and not bad:
                yield id, block
            id = _id_of(line) if named is None else next(filter(None, named.groups()), "")
            block, bad, any_line = [], False, False
        elif comment:
            reading.note("comment lines (#), left out")
        else:
            block.append((number, line))
            if line.strip():
                any_line, columns = True, columns or len(cells_of(line))
    if any_line and not bad:
        yield id, block


def _id_of(line: str) -> str:
    cells = [cell.strip("()") for cell in line.removeprefix(START).strip().split("\t")[0:1]]
    return "" if cells[0].split(" ")[0] in ("", "-X-", "O") else cells[0]


def _document(id: str, numbered: Sequence[_Line], reading: FileReading) -> Document:
    block = _without_markers(numbered, reading)
    pieces: list[str] = []
    spans: list[list[int]] = []
    types: list[str] = []
    between: list[list[str]] = []
    first = _token_column(block)
    length, columns, previous, fresh = 0, 0, "", True
    for number, line in block:
        if not line.strip():
            previous, fresh = "", True
            continue
        cells = cells_of(line)
        columns = columns or len(cells)
        tag = TAG.match(cells[-1])
        if len(cells) < 2 or len(cells) != columns or not tag or not cells[first]:
            raise reading.on(number).error(
                f"expected a token and a tag (O, B-TYPE, I-TYPE …) in {max(columns, 2)} columns, got '{line[:60]}'."
            )
        if pieces:
            pieces.append("\n" if fresh else " ")
            length += 1
        token, kind, type = "\u00a0".join(cells[first].split()), tag[1] or "", tag[2] or ""
        # I, M and E (L) continue a mention of their type; elsewhere they start one, as in IOB1.
        if kind in _INSIDE and previous == f"+{type}":
            spans[-1][1] = length + len(token)
        elif kind:
            spans.append([length, length + len(token)])
            types.append(type)
        previous = f"+{type}" if kind in _OPEN else ""
        pieces.append(token)
        length += len(token)
        between.append([*cells[:first], *cells[first + 1 : -1]])
        fresh = False
    if len(between) > 1 and columns > 2 and all(cells and TAG.match(cells[-1]) for cells in between):
        reading.note(
            f"documents with tags also in column {columns - 1}, of which only the last column was read",
            unread=True,
        )
    text = "".join(pieces)
    home = Document(id, text)
    mentions = [Mention(home, s, e, text[s:e], type) for (s, e), type in zip(spans, types, strict=True)]
    own: dict[str, Any] = {"columns": between if columns > 2 else []} | ({"numbered": True} if first else {})
    return Document(id, text, tuple(mentions), {"conll": own})


def _token_column(block: Sequence[_Line]) -> int:
    """1 if the first column numbers the tokens of every sentence (as in GermEval), else 0."""
    expected = 1
    for _, line in block:
        if not line.strip():
            expected = 1
            continue
        cells = cells_of(line)
        if len(cells) < 3 or cells[0] != str(expected):
            return 0
        expected += 1
    return int(any(line.strip() for _, line in block))


def _without_markers(block: Sequence[_Line], reading: FileReading) -> list[_Line]:
    """The lines without AIONER's markers `<ALL>` and `</ALL>` around sentences, which are not tokens."""
    kept: list[_Line] = []
    opened = ""
    for position, (number, line) in enumerate(block):
        marker = _MARKER.match(line)
        if marker and not marker[1] and (position == 0 or not block[position - 1][1].strip()):
            opened = marker[2]
        elif not (marker and marker[1] and marker[2] == opened):
            kept.append((number, line))
            continue
        reading.note("markers of AIONER (<ALL>), left out")
    return kept


def _aligned(document: Document) -> bool:
    """Whether the tokens as read still fit: no mention begins or ends inside one."""
    outside = (" ", "\n", "")
    return all(
        document.text[: m.start][-1:] in outside and document.text[m.end : m.end + 1] in outside
        for m in document.mentions
    )


def _joined(spans: Sequence[tuple[int, int]], mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """The sentences; those that a mention spans are joined."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and any(m.start < joined[-1][1] and m.end > start for m in mentions):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _apart(mentions: Iterable[Mention]) -> list[Mention]:
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def _tagged(
    text: str, start: int, end: int, mentions: Sequence[Mention], *, whole: bool
) -> Iterator[tuple[str, str]]:
    """Tokens and tags of one sentence; `whole`: tokens are separated by spaces only."""
    inside = [m for m in mentions if m.start < end and m.end > start]
    borders = sorted({start, end, *(p for m in inside for p in (m.start, m.end) if start < p < end)})
    pattern = _WHOLE if whole else _TOKEN
    for low, high in pairwise(borders):
        holder = next((m for m in inside if m.start <= low < m.end), None)
        for match in pattern.finditer(text, low, high):
            if holder is None:
                yield match.group(), "O"
                continue
            first = not pattern.search(text, holder.start, match.start())
            type = " ".join(holder.type.split())
            yield match.group(), ("B" if first else "I") + (f"-{type}" if type else "")
