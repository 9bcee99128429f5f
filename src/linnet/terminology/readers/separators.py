"""Separators of several values in one cell, detected from the cells unless the user gives one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from linnet.advice import Note, Step

__all__ = ["Separators"]

_ENTITY = re.compile(r"&#?\w+;")
_COMMA = re.compile(r"[^,\d],\s")


class Separators:
    """Separator of each column: "|" if its cells hold one, else ";"; never a comma, which names contain.

    given  the user's choice for all columns; "" for one value per cell, None to detect it

    `learn` samples cells first. A column without a separator in the sample is decided by its first cell with one.
    """

    def __init__(self, given: str | None) -> None:
        self._given = given
        self._marks: dict[int, str] = {}
        self._commas: dict[int, int] = {}
        self._filled: dict[int, int] = {}

    def learn(self, rows: Sequence[Sequence[str]], columns: Sequence[int]) -> None:
        """Decide for these columns from these rows."""
        for column in columns if self._given is None else ():
            cells = [row[column] for row in rows if column < len(row) and row[column]]
            for mark in "|;":
                if any(mark in _ENTITY.sub("", cell) for cell in cells):
                    self._marks[column] = mark
                    break
            self._filled[column] = len(cells)
            self._commas[column] = sum(bool(_COMMA.search(cell)) for cell in cells)

    def known(self, columns: Iterable[int]) -> list[tuple[int, str]]:
        """The separator of each of these columns that has one, as far as it is decided."""
        marks = self._marks if self._given is None else dict.fromkeys(columns, self._given)
        return [(column, marks[column]) for column in columns if marks.get(column)]

    def split(self, cell: str, column: int) -> list[str]:
        """The values of a cell."""
        if self._given is not None:
            return cell.split(self._given) if self._given else [cell]
        mark = self._marks.get(column)
        if mark is None:
            plain = _ENTITY.sub("", cell)
            mark = "|" if "|" in plain else ";" if ";" in plain else ""
            if not mark:
                return [cell]
            self._marks[column] = mark
        if mark == "|":
            return cell.split(mark)
        # the semicolon of an entity ("&amp;") is no separator
        kept = _ENTITY.sub(lambda match: match.group().replace(";", "\0"), cell)
        return [value.replace("\0", ";") for value in kept.split(mark)]

    def notes(self, header: Sequence[str], roles: Mapping[int, str]) -> list[Note]:
        """Notes for the user: columns split at semicolons, and columns that look like lists with commas."""
        if self._given is not None:
            return []
        notes = []
        cut = [header[column] for column, mark in self._marks.items() if mark == ";"]
        if cut:
            notes.append(
                Note(f"cells of {', '.join(cut)} were split at ';'.", Step.READ_OTHERWISE(separator=""))
            )
        lists = [
            header[column]
            for column, count in self._commas.items()
            if roles.get(column) == "synonyms"
            and column not in self._marks
            and 2 * count > self._filled[column]
        ]
        if lists:
            one = "contain commas and were read as one name each."
            notes.append(Note(f"most cells of {', '.join(lists)} {one}", Step.READ_OTHERWISE(separator=",")))
        return notes
