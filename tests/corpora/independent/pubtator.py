"""PubTator by grouping lines by id and trying every way of joining passages: what fits literally is right."""

from __future__ import annotations

import re
from itertools import groupby, pairwise, product

from tests.corpora.mutations import Found, Span, Unreadable, single_spaced

_ID = re.compile(r"\ufeff?([^|\t]*)")
_NONE = {"", "-", "-1"}


def parse(raw: bytes) -> list[Found]:
    """Documents as runs of lines of one id, which hold at least one title."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(str(error)) from error
    lines = [line.rstrip("\r").lstrip("\ufeff") for line in text.split("\n")]
    documents: list[Found] = []
    for id, run in groupby((line for line in lines if line.strip()), key=lambda line: _ID.match(line)[1]):  # type: ignore[index]
        documents += _documents(id, list(run))
    if not documents:
        raise Unreadable("no document")
    return documents


def _documents(id: str, lines: list[str]) -> list[Found]:
    titles = [at for at, line in enumerate(lines) if line.startswith(f"{id}|t|")]
    if not titles:
        raise Unreadable(f"no title of {id}")
    cuts = [0, *titles[1:], len(lines)]
    blocks = [lines[low:high] for low, high in pairwise(cuts)]
    names = [lines[at].removeprefix(f"{id}|t|").strip() for at in titles]
    if names[0] and names[0] in names[1:]:
        return [_document(id, [block]) for block in blocks]
    return [_document(id, blocks)]


def _document(id: str, blocks: list[list[str]]) -> Found:
    passages: list[tuple[int, str]] = []
    rows: list[tuple[int, int, int, str, str]] = []
    for number, block in enumerate(blocks):
        for line in block:
            rest = line[len(id) :]
            if rest.startswith("|"):
                passages.append((number, rest.split("|", 2)[2]))
                continue
            cells = [*rest.split("\t")[1:], ""]
            if len(cells) > 4 and re.fullmatch(r" *\d+ *", cells[0]) and re.fullmatch(r" *\d+ *", cells[1]):
                field = cells[4] if len(cells) > 5 else ""
                rows.append((number, int(cells[0]), int(cells[1]), cells[2], field))
    for stripped, skipped, local in product((False, True), repeat=3):
        text, starts = _joined(passages, stripped, skipped)
        spans: list[Span] = []
        for number, start, end, surface, field in rows:
            shift = starts[number] if local else 0
            found = text[shift:][start:end]
            if not found or single_spaced(found) != single_spaced(surface):
                break
            concept = any(piece.strip() not in _NONE for piece in re.split(r"[|+,;]", field))
            spans.append((shift + start, shift + end, single_spaced(found), concept))
        else:
            return Found(id, tuple(sorted(spans)))
    raise Unreadable(f"no way of joining the passages of {id} fits its rows")


def _joined(passages: list[tuple[int, str]], stripped: bool, skipped: bool) -> tuple[str, dict[int, int]]:
    """The passages with a space after each, then without what was added in vain."""
    starts: dict[int, int] = {}
    text = ""
    for number, passage in passages:
        starts.setdefault(number, len(text))
        text += (passage.rstrip() if stripped else passage) + ("" if skipped and not passage else " ")
    return text, starts
