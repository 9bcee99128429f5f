"""Seeded damage to small files, and a comparison of what linnet reads with what an independent parser reads.

The promise under test: for any file, linnet finds what the independent parser finds, or refuses it with DataError. It
never gives another answer in silence, and never breaks down. To add a format:

1.  Write `tests/corpora/independent/NAME.py` with `parse(raw: bytes) -> list[Found]`. It calls nothing of linnet, is
    built in another way than linnet's reader, and raises `Unreadable` for what it cannot make sense of. It may be more
    lenient than linnet (a refusal by linnet always passes), so it need not know what linnet refuses.
2.  Give `test_mutations.py` a `Layout`: the format's name, a few invented samples of 10 to 30 lines that show each
    habit of real files, and the mutations that make sense: those of lines and characters for any text, `columns(tab)`
    for tables, `in_json` for JSON and JSON Lines, and any function `(random, text) -> text` of your own.
3.  Add the real files of `LINNET_DATA` to the list there.

A failure names the seed and the mutations; `mutant(layout, seed)` gives the text again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from linnet import corpora
from linnet.errors import DataError
from linnet.types import Document

Mutation = Callable[[Random, str], str]
Span = tuple[int, int, str, bool]
"""Start, end, the text there with single spaces, whether the mention has a concept."""


class Unreadable(Exception):
    """The independent parser can make no sense of a file."""


@dataclass(frozen=True)
class Found:
    """What is compared of a document: its id and its mentions, sorted."""

    id: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Layout:
    """A format with invented samples of it, and what may happen to them."""

    format: str
    parse: Callable[[bytes], list[Found]]
    samples: Sequence[str]
    mutations: Sequence[Mutation]


def mutant(layout: Layout, seed: int) -> tuple[str, str]:
    """The text of a seed, and what was done to it: one to three mutations of one of the samples."""
    random = Random(seed)
    text = random.choice(list(layout.samples))
    done = []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        mutation = random.choice(list(layout.mutations))
        text = mutation(random, text)
        done.append(getattr(mutation, "__name__", "mutation"))
    return text, ", ".join(done)


def agrees(layout: Layout, path: Path) -> bool:
    """Whether linnet reads the file as the independent parser does; False where linnet refuses it.

    Raises AssertionError where linnet gives another answer, and whatever breaks it.
    """
    refusal: DataError | None = None
    documents: list[Document] = []
    try:
        documents = list(corpora.read(path, format=layout.format))
    except DataError as error:
        refusal = error
    if refusal:
        _check_skipping(layout, path, refusal)
        return False
    found = [of(document) for document in documents]
    try:
        expected = layout.parse(path.read_bytes())
    except Unreadable as error:
        raise AssertionError(f"linnet read what is unreadable ({error}): {found}") from error
    assert found == expected, f"linnet found {found}, the independent parser {expected}"
    return True


def _check_skipping(layout: Layout, path: Path, refusal: DataError) -> None:
    """What is refused can be skipped: then it is reported, or the whole file is refused."""
    reported: list[DataError] = []
    try:
        list(corpora.read(path, format=layout.format, on_error="skip", report=reported.append))
    except DataError:
        return
    assert reported, f"refused ({refusal}), but nothing is reported when skipping"


def of(document: Document) -> Found:
    """A document as it is compared."""
    spans = (
        (m.start, m.end, single_spaced(document.text[m.start : m.end]), bool(m.concepts))
        for m in document.mentions
    )
    return Found(document.id, tuple(sorted(spans)))


def single_spaced(text: str) -> str:
    """The text with single spaces, as formats write line breaks in different ways."""
    return " ".join(text.split())


# Lines ------------------------------------------------------------------------------------------------------------------


def _line(random: Random, lines: list[str]) -> int:
    return random.randrange(len(lines))


def drop_line(random: Random, text: str) -> str:
    lines = text.split("\n")
    del lines[_line(random, lines)]
    return "\n".join(lines)


def duplicate_line(random: Random, text: str) -> str:
    lines = text.split("\n")
    at = _line(random, lines)
    lines.insert(at, lines[at])
    return "\n".join(lines)


def swap_lines(random: Random, text: str) -> str:
    lines = text.split("\n")
    a, b = _line(random, lines), _line(random, lines)
    lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def move_line(random: Random, text: str) -> str:
    lines = text.split("\n")
    moved = lines.pop(_line(random, lines))
    lines.insert(random.randrange(len(lines) + 1), moved)
    return "\n".join(lines)


def blank_line(random: Random, text: str) -> str:
    lines = text.split("\n")
    lines.insert(_line(random, lines), "")
    return "\n".join(lines)


def drop_blank_lines(random: Random, text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line)


def repeat_block(random: Random, text: str) -> str:
    """A run of lines again, right after itself."""
    lines = text.split("\n")
    low = _line(random, lines)
    high = min(len(lines), low + random.randrange(2, 6))
    return "\n".join([*lines[:high], *lines[low:high], *lines[high:]])


def foreign_line(random: Random, text: str) -> str:
    lines = text.split("\n")
    lines.insert(_line(random, lines), random.choice(["# a comment", "Some text.", "9\t0\t1", "{", "a|b|c"]))
    return "\n".join(lines)


def windows_line_ends(random: Random, text: str) -> str:
    return text.replace("\n", "\r\n")


def truncate(random: Random, text: str) -> str:
    return text[: random.randrange(1, len(text))]


# Characters -------------------------------------------------------------------------------------------------------------


def byte_order_mark(random: Random, text: str) -> str:
    return "\ufeff" + text


def drop_character(random: Random, text: str) -> str:
    at = random.randrange(len(text))
    return text[:at] + text[at + 1 :]


def insert_character(random: Random, text: str) -> str:
    at = random.randrange(len(text))
    return text[:at] + random.choice(" é😀\t|\u2028&<0") + text[at:]


def change_number(random: Random, text: str) -> str:
    """One digit is another, or gone."""
    places = [at for at, character in enumerate(text) if character.isdigit()]
    if not places:
        return text
    at = random.choice(places)
    return text[:at] + random.choice("0123456789") * random.choice((0, 1, 1, 1)) + text[at + 1 :]


def trailing_space(random: Random, text: str) -> str:
    lines = text.split("\n")
    lines[_line(random, lines)] += random.choice((" ", "\t", "\t\t", "  "))
    return "\n".join(lines)


LINES: tuple[Mutation, ...] = (
    drop_line, duplicate_line, swap_lines, move_line, blank_line, drop_blank_lines, repeat_block, foreign_line,
    windows_line_ends, truncate,
)  # fmt: skip
CHARACTERS: tuple[Mutation, ...] = (
    byte_order_mark, drop_character, insert_character, change_number, change_number, trailing_space,
)  # fmt: skip


# Columns ----------------------------------------------------------------------------------------------------------------


def columns(separator: str) -> tuple[Mutation, ...]:
    """Mutations of one row of a table whose columns this separates."""

    def changed(random: Random, text: str, change: Callable[[list[str]], None]) -> str:
        lines = text.split("\n")
        rows = [at for at, line in enumerate(lines) if separator in line]
        if not rows:
            return text
        at = random.choice(rows)
        cells = lines[at].split(separator)
        change(cells)
        lines[at] = separator.join(cells)
        return "\n".join(lines)

    def swap_columns(random: Random, text: str) -> str:
        def swap(cells: list[str]) -> None:
            a, b = random.randrange(len(cells)), random.randrange(len(cells))
            cells[a], cells[b] = cells[b], cells[a]

        return changed(random, text, swap)

    def drop_column(random: Random, text: str) -> str:
        return changed(random, text, lambda cells: cells.pop(random.randrange(len(cells))) and None)

    def empty_column(random: Random, text: str) -> str:
        def empty(cells: list[str]) -> None:
            cells[random.randrange(len(cells))] = ""

        return changed(random, text, empty)

    def further_column(random: Random, text: str) -> str:
        return changed(random, text, lambda cells: cells.insert(random.randrange(len(cells) + 1), "0.9"))

    def other_separator(random: Random, text: str) -> str:
        lines = text.split("\n")
        at = _line(random, lines)
        lines[at] = lines[at].replace(separator, random.choice((" ", "    ", ",")))
        return "\n".join(lines)

    return swap_columns, drop_column, empty_column, further_column, other_separator


# JSON -------------------------------------------------------------------------------------------------------------------


def in_json(random: Random, text: str) -> str:
    """One value inside JSON, or inside one line of JSON Lines, is changed, moved, dropped, repeated or renamed."""
    lines = [text]
    at = 0
    try:
        value = json.loads(text)
    except ValueError:
        lines = text.split("\n")
        at = _line(random, lines)
        try:
            value = json.loads(lines[at])
        except ValueError:
            return text
    holders = [holder for holder in _holders(value) if holder]
    if not holders:
        return text
    holder = random.choice(holders)
    if isinstance(holder, dict):
        key = random.choice(list(holder))
        _change_field(random, holder, key)
    else:
        _change_item(random, holder, random.randrange(len(holder)))
    indent = random.choice((None, 1)) if len(lines) == 1 else None
    lines[at] = json.dumps(value, ensure_ascii=random.random() < 0.5, indent=indent)
    return "\n".join(lines)


def _change_field(random: Random, holder: dict[str, Any], key: str) -> None:
    way = random.randrange(4)
    if way == 0:
        del holder[key]
    elif way == 1:
        holder[random.choice((key.upper(), key.capitalize(), f"{key}_"))] = holder.pop(key)
    else:
        holder[key] = _another(random, holder[key])


def _change_item(random: Random, holder: list[Any], at: int) -> None:
    way = random.randrange(4)
    if way == 0:
        del holder[at]
    elif way == 1:
        holder.append(holder[at])
    elif way == 2:
        other = random.randrange(len(holder))
        holder[at], holder[other] = holder[other], holder[at]
    else:
        holder[at] = _another(random, holder[at])


def _another(random: Random, value: Any) -> Any:
    if type(value) is int and random.random() < 0.6:
        return value + random.choice((-1, 1, 10))
    return random.choice([None, "", 0, -1, 1.5, True, "x", [], {}, [value], {"x": value}, str(value)])


def _holders(value: Any) -> list[Any]:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    own = [value] if isinstance(value, (dict, list)) else []
    return own + [holder for part in inner for holder in _holders(part)]
