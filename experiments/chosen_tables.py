"""What a page shows of the tables kept beside it, as its template says: `{scores:column 1 3; row 2-4; brief}`.

    part 1 2     of several tables under headings, these; their headings stay
    column 1 3   the first column, and these of the others
    row 2-4      these rows
    head A | B   other heads for the columns after the first
    corner C     another head for the first column
    label 2      the first two columns become one, before columns are counted; an empty cell of the first stands for the one above
    brief        no standard deviations and no p
    bare         nor intervals of shares

Tables with equal heads that follow each other without a heading become one.

`{join:in_domain across; column 5}` joins the parts of several tables to one, with the chosen column of each beside the first; with
`turn`, each part is a row of it; `of 2-4` chooses columns of the joined table.

All count from 1. What a table does not have yet, as on the page of runs that are not all done, is left out, and its other columns
keep their own heads. An interval of a share is shown as `76.5 (74.0–79.1)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

__all__ = ["Chosen", "Joined", "choices"]

Rows = list[list[str]]
Part = TypeVar("Part")
_WISHES = ("part", "column", "row", "head", "corner", "label", "brief", "bare", "turn", "of")


class Chosen(str):
    """A text that may be a table; `format` shows a part of it."""

    def __format__(self, spec: str) -> str:
        """The chosen part as Markdown; a text without tables stays as it is."""
        if not re.search(r"^\|", self, re.MULTILINE):
            return str(self)
        if not spec:
            return "\n".join(_short(line) if line.startswith("|") else line for line in self.split("\n"))
        parts, wish = _parts(self), choices(spec)
        chosen = _those(parts, wish["part"]) if "part" in wish else parts
        shown: list[tuple[str, Rows]] = []
        for above, rows in chosen:
            table = _selected(rows, wish)
            if shown and not above and table[0] == shown[-1][1][0]:
                shown[-1][1].extend(table[1:])
            else:
                shown.append((above, table))
        return "\n".join(f"{above}{_markdown(table)}" for above, table in shown)


class Joined:
    """All tables of a page, of which `format` joins some."""

    def __init__(self, tables: Mapping[str, str]) -> None:
        self._tables = tables

    def __format__(self, spec: str) -> str:
        """One table: a row for each label, a column for each part."""
        names, _, rest = spec.partition(";")
        wish = choices(rest)
        parts = [part for name in names.split() for part in _parts(self._tables[name])]
        if "part" in wish:
            parts = _those(parts, wish["part"])
        if "label" in wish:
            parts = [(above, _selected(rows, {"label": wish["label"]})) for above, rows in parts]
        [column] = _numbers(wish["column"])
        labels = list(dict.fromkeys(row[0] for _, rows in parts for row in rows[1:]))
        cells = [{row[0]: row[column] for row in rows[1:]} for _, rows in parts]
        heads = [_pair(above.strip("#\n ")) for above, _ in parts]
        table = [[parts[0][1][0][0], *heads]]
        table += [[label, *(part.get(label, "") for part in cells)] for label in labels]
        if "turn" in wish:
            table = [list(column) for column in zip(*table, strict=True)]
            table[0][0] = ""
        kept = {kind: wish[kind] for kind in wish if kind in ("row", "head", "corner", "brief")}
        return _markdown(_selected(table, kept | ({"column": wish["of"]} if "of" in wish else {})))


def _pair(heading: str) -> str:
    """Of what was trained on and what was linked: both, or one if they are the same."""
    trained, _, linked = heading.removeprefix("Trained on ").partition(", linked ")
    return f"{trained} → {linked}" if linked and linked != trained else trained


def choices(spec: str) -> dict[str, str]:
    """The wishes of a format by their first word."""
    found = {}
    for wish in filter(None, (part.strip() for part in spec.split(";"))):
        kind, _, value = wish.partition(" ")
        if kind not in _WISHES:
            raise ValueError(f"'{wish}' chooses nothing of a table. Known are: {', '.join(_WISHES)}.")
        found[kind] = value
    return found


def _parts(text: str) -> list[tuple[str, Rows]]:
    """What stands above each table, and its rows with the head."""
    found: list[tuple[str, Rows]] = []
    above: list[str] = []
    for line in text.strip().split("\n"):
        if not line.startswith("|"):
            above.append(line + "\n")
        elif above or not found:
            found.append(("".join(above).lstrip("\n"), [_cells(line)]))
            above = []
        elif set(line) - set("|-: "):
            found[-1][1].append(_cells(line))
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _selected(rows: Rows, wish: Mapping[str, str]) -> Rows:
    if "label" in wish:
        merged = int(wish["label"])
        rows = [[", ".join(filter(None, row[:merged])), *row[merged:]] for row in _filled(rows)]
    head, *body = rows
    wanted = _numbers(wish["column"]) if "column" in wish else range(1, len(head))
    columns = [0, *(column for column in wanted if column < len(head))]
    if "row" in wish:
        body = _those(body, wish["row"])
    brief, bare = "brief" in wish or "bare" in wish, "bare" in wish
    chosen = [[_short(row[column], brief=brief, bare=bare) for column in columns] for row in [head, *body]]
    if "head" in wish:
        titles = [title.strip() for title in wish["head"].split("|")]
        if len(titles) == len(columns) - 1:
            chosen[0][1:] = titles
    if "corner" in wish:
        chosen[0][0] = wish["corner"]
    return chosen


def _filled(rows: Rows) -> Rows:
    filled, above = [], ""
    for row in rows:
        above = row[0] or above
        filled.append([above, *row[1:]])
    return filled


def _short(cell: str, *, brief: bool = False, bare: bool = False) -> str:
    if brief:
        cell = re.sub(r" ± [\d.]+|, p [=<>] [\d.]+", "", cell)
    if bare:
        cell = re.sub(r" \([\d.]+(?: to |–)[\d.]+\)", "", cell)
    return re.sub(r"\(([\d.]+) to ([\d.]+)\)", r"(\1–\2)", cell)


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(rows[0]) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], rule, *rows[1:]]) + "\n"


def _those(parts: Sequence[Part], numbers: str) -> list[Part]:
    return [parts[number - 1] for number in _numbers(numbers) if number <= len(parts)]


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in text.split():
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
