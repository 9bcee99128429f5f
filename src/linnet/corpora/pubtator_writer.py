"""A document as lines of a PubTator file: as it was read, else title, abstract and rows."""

from __future__ import annotations

from collections import Counter
from typing import Any

from linnet.corpora.ids import format_concepts, parse_concepts
from linnet.types import Document, Mention

__all__ = ["lines_of"]

_BREAKS = str.maketrans("\n\r\t", "   ")
_Span = tuple[str, int, int]
"""Letter, start and end of a passage."""


def lines_of(document: Document, lost: Counter[str]) -> list[str]:
    """The document's lines. `lost` counts what they cannot hold."""
    own = document.extra.get("pubtator", {})
    layout = own.get("layout", {})
    id = _cell(document.id, lost, "exact document ids").replace("|", "_") or "_"
    if "|" in document.id:
        lost["exact document ids"] += 1
    text = document.text.translate(_BREAKS)
    if text != document.text:
        lost["line breaks and tabs of the text (now spaces)"] += 1
    passages = _passages(document, own)
    tails = layout.get("tails", ())
    if len(tails) != len(passages):
        tails = [""] * len(passages)
    headers = [
        f"{id}|{letter}|{text[low:high]}{tail}"
        for (letter, low, high), tail in zip(passages, tails, strict=True)
    ]
    starts = [low for number, (letter, low, _) in enumerate(passages) if letter == "t" or not number]
    mentions = list(document.mentions)
    relations = [f"{id}\t{relation}" for relation in own.get("relations", ())]
    order = layout.get("order", "")
    replayed = (order.count("P"), order.count("M"), order.count("R")) == (
        len(passages),
        len(mentions),
        len(relations),
    )
    if not replayed or (layout.get("local") and not _inside(order, passages, starts, mentions, len(text))):
        order, mentions = _by_block(passages, starts, mentions, len(relations))
    bases = _blocks(order, passages, starts if layout.get("local") else [0] * len(starts))
    rows = [_row(mention, id, text, base, lost) for mention, (_, base) in zip(mentions, bases, strict=True)]
    ahead = {"P": iter(headers), "M": iter(rows), "R": iter(relations)}
    return [next(ahead[kind]) if kind in ahead else "" for kind in order]


def _passages(document: Document, own: dict[str, Any]) -> list[_Span]:
    """The passages as read if they still cover the text; else title and abstract."""
    text = document.text
    read = [(letter, low, high) for letter, low, high in own.get("passages", ())]
    at = 0
    for _, low, high in read:
        if not at <= low <= high <= len(text) or text[at:low].strip():
            break
        at = high
    else:
        if read and at == len(text):
            return read
    cut = _title_length(document)
    if cut == len(text):
        whole = own.get("layout", {}).get("abstract", True)
        return [("t", 0, cut), ("a", cut, cut)] if whole else [("t", 0, cut)]
    return [("t", 0, cut), ("a", cut + 1, len(text))]


def _title_length(document: Document) -> int:
    """End of the title: as read, if white space is there; else the first line break; else the end of the text."""
    text, known = document.text, document.extra.get("title")
    if isinstance(known, int) and (known == len(text) or text[known : known + 1].isspace()):
        return known
    at = text.find("\n")
    return at if 0 <= at < len(text) - 1 else len(text)


def _inside(
    order: str, passages: list[_Span], starts: list[int], mentions: list[Mention], length: int
) -> bool:
    """Whether every mention begins in the block of its row."""
    ends = [*starts[1:], length + 1]
    blocks = _blocks(order, passages, starts)
    return all(
        start <= mention.start < ends[block] for mention, (block, start) in zip(mentions, blocks, strict=True)
    )


def _blocks(order: str, passages: list[_Span], bases: list[int]) -> list[tuple[int, int]]:
    """Number and base of the block of each mention's row, which is that of the last title before it."""
    letters = iter(passages)
    titles = 0
    blocks: list[tuple[int, int]] = []
    for kind in order:
        if kind == "P":
            titles += next(letters)[0] == "t"
        elif kind == "M":
            block = max(0, titles - 1)
            blocks.append((block, bases[block]))
    return blocks


def _by_block(
    passages: list[_Span], starts: list[int], mentions: list[Mention], relations: int
) -> tuple[str, list[Mention]]:
    """The order of lines with each mention after the passages of its block and relations last; the mentions in that order."""
    if len(starts) == 1:
        return "P" * len(passages) + "M" * len(mentions) + "R" * relations, mentions
    order, ordered = "", []
    ends = [*starts[1:], None]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        inside = [
            mention
            for mention in mentions
            if (mention.start >= start or not number) and (end is None or mention.start < end)
        ]
        count = sum((low >= start or not number) and (end is None or low < end) for _, low, _ in passages)
        order += ("_" if number else "") + "P" * count + "M" * len(inside)
        ordered += inside
    return order + "R" * relations, ordered


def _row(mention: Mention, id: str, text: str, base: int, lost: Counter[str]) -> str:
    surface = text[mention.start : mention.end]
    read = mention.extra.get("pubtator", {}).get("text_as_written", surface)
    surface = read if read.split() == surface.split() else surface
    place = [str(mention.start - base), str(mention.end - base)]
    return "\t".join([id, *place, surface, *_labels(mention, lost)])


def _labels(mention: Mention, lost: Counter[str]) -> list[str]:
    """Type, concept and further columns, as read if they still have the same meaning."""
    own, combined = mention.extra.get("pubtator", {}), bool(mention.extra.get("combined"))
    type = mention.extra["class"] if mention.type == "Disease" and "class" in mention.extra else mention.type
    meaning = (tuple(mention.concepts), combined and len(mention.concepts) > 1)
    cells = [_cell(type, lost, "exact types")]
    if (
        "concept_as_written" in own
        and parse_concepts(own["concept_as_written"] or "", type=mention.type) == meaning
    ):
        if own["concept_as_written"] is None:
            return cells
        cells.append(own["concept_as_written"])
    else:
        cells.append(_cell(format_concepts(mention.concepts, combined=meaning[1]), lost, "exact concept ids"))
        if parse_concepts(cells[-1], type=mention.type) != meaning:
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
