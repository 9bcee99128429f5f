"""CoNLL / IOB2: a token and its tag a line, a blank line after each sentence, `-DOCSTART-` before each document.

The first column is the token, the last the tag: `O`, `B-Disease`, `I-Disease` (IOB1, BIOES and BILOU are read too); `B`
alone is a mention without type. Tokens are joined by a space, sentences by a line break. The id is what follows
`-DOCSTART-`, else the document's number. `extra["conll"]["columns"]` holds the columns between token and tag.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from linnet.corpora.lines import lines
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.corpora.refusal import Refuse, stop
from linnet.errors import DataError
from linnet.files import open_output
from linnet.sentences import split_sentences
from linnet.types import Document, Mention

__all__ = ["read_conll", "write_conll"]

_TAG = re.compile(r"^(?:O|([BIESLU])(?:-(\S.*))?)$")
_TOKEN = re.compile(r"[^\W_]+|[^\s]")
_WHOLE = re.compile(r"[^ \n]+")
_LINE = re.compile(r"[^\n]+")
_START = "-DOCSTART-"
_HOLDS = frozenset({"mentions", "type", "conll"})
_Line = tuple[int, str]


def read_conll(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in file order, as they are read. Raises or refuses DataError, a document at a time."""
    for number, (id, block) in enumerate(_blocks(path, refuse), start=1):
        try:
            document = _document(id or str(number), block, path)
        except DataError as error:
            refuse(error)
            continue
        if document.text:
            yield document


def write_conll(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write tokens and IOB2 tags, separated by a tab. Tokens are cut at the borders of mentions.

    Of mentions that overlap the first, and longest of those that start together, is kept.
    """
    lost: Counter[str] = Counter()
    with open_output(path) as stream:
        for document in documents:
            lost += unheld(document, _HOLDS)
            own = document.extra.get("conll") if _aligned(document) else None
            stream.write(f"{_START}\t{' '.join(document.id.split()) or 'O'}\tO\n\n")
            kept = _apart(document.mentions)
            spans = (
                [m.span() for m in _LINE.finditer(document.text)] if own else split_sentences(document.text)
            )
            sentences = _joined(spans, kept)
            lost["overlapping mentions"] += len(document.mentions) - len(kept)
            if not own:
                lost["white space and sentence borders, in documents"] += 1
            columns = iter((own or {}).get("columns", ()))
            written = 0
            for start, end in sentences:
                for token, tag in _tagged(document.text, start, end, kept, whole=own is not None):
                    written += tag.startswith("B")
                    stream.write("\t".join([token, *next(columns, ()), tag]) + "\n")
                stream.write("\n")
            lost["mentions of spaces alone"] += len(kept) - written
    return Losses(+lost)


def _blocks(path: str | Path, refuse: Refuse) -> Iterator[tuple[str, list[_Line]]]:
    id, block, bad, any_line = "", list[_Line](), False, False
    for number, line in lines(path):
        if isinstance(line, DataError):
            refuse(line)
            bad = True
        elif line.startswith(_START):
            if any_line and not bad:
                yield id, block
            cells = [cell.strip("()") for cell in line.removeprefix(_START).strip().split("\t")[0:1]]
            id = "" if cells[0].split(" ")[0] in ("", "-X-", "O") else cells[0]
            block, bad, any_line = [], False, False
        else:
            block.append((number, line))
            any_line = any_line or bool(line.strip())
    if any_line and not bad:
        yield id, block


def _document(id: str, block: Sequence[_Line], path: str | Path) -> Document:
    pieces: list[str] = []
    spans: list[list[int]] = []
    types: list[str] = []
    between: list[list[str]] = []
    length, columns, previous, fresh = 0, 0, "", True
    for number, line in block:
        if not line.strip():
            previous, fresh = "", True
            continue
        cells = line.split("\t") if "\t" in line else line.split()
        cells = [cell.strip() for cell in cells]
        columns = columns or len(cells)
        tag = _TAG.match(cells[-1])
        if len(cells) < 2 or len(cells) != columns or not tag or not cells[0]:
            raise DataError(
                f"expected a token and a tag (O, B-TYPE, I-TYPE …) in {max(columns, 2)} columns, got '{line[:60]}'.",
                path=path,
                line=number,
            )
        if pieces:
            pieces.append("\n" if fresh else " ")
            length += 1
        token, kind, type = "\u00a0".join(cells[0].split()), tag[1] or "", tag[2] or ""
        # I and E (L) go on with a mention of their type; anywhere else they start one, as in IOB1.
        if kind in ("I", "E", "L") and previous == f"+{type}":
            spans[-1][1] = length + len(token)
        elif kind:
            spans.append([length, length + len(token)])
            types.append(type)
        previous = f"+{type}" if kind in ("B", "I") else ""
        pieces.append(token)
        length += len(token)
        between.append(cells[1:-1])
        fresh = False
    text = "".join(pieces)
    home = Document(id, text)
    mentions = [Mention(home, s, e, text[s:e], type) for (s, e), type in zip(spans, types, strict=True)]
    return Document(id, text, tuple(mentions), {"conll": {"columns": between if columns > 2 else []}})


def _aligned(document: Document) -> bool:
    """Whether the tokens of the file that was read still fit: no mention begins or ends inside one."""
    outside = (" ", "\n", "")
    return all(
        document.text[: m.start][-1:] in outside and document.text[m.end : m.end + 1] in outside
        for m in document.mentions
    )


def _joined(spans: Sequence[tuple[int, int]], mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """The sentences, those that a mention lies across run together."""
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
    """Tokens and tags of one sentence; `whole` where tokens are what stands between spaces."""
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
