"""Cells of a table that stand for an empty one: "NULL" of a database, "nan" of pandas, "NA" of R, "#N/A" of a spreadsheet.

>>> missing = MissingValues()
>>> missing.learn([["X:1", "NA"], ["X:2", "NA"], ["X:3", "gout"]], [1])
>>> missing.emptied(["X:4", "NA"], [1]), missing.emptied(["NA", "NULL"], [1])
(['X:4', ''], ['NA', ''])
>>> missing.note()
"2 cells hold 'NA' (1), 'NULL' (1) and were read as empty."
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from linnet.plural import counted

__all__ = ["MissingValues", "is_missing_id"]

# Case counts: a word that somebody wrote as a name is "Null".
_SURE = frozenset(
    {"NaN", "NULL", "<NA>", "NaT", "\\N", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "#NULL!", "#NAME?", "#REF!", "#VALUE!",
     "#DIV/0!", "#NUM!"}
)  # fmt: skip
# "None" is a concept of NCIt, "nan" a name of a chemical, NA sodium in capitals: empty only where a column has one of them twice.
_LIKELY = frozenset({"nan", "null", "NA", "None", "none", "NONE", "-", "--", "—", ".", "?"})
_REPEATED = 2


def is_missing_id(text: str) -> bool:
    """Whether the cell of an id has none: ids without a digit that are words for nothing."""
    return not text or text in _SURE or text in _LIKELY


class MissingValues:
    """Empties such cells, and counts them."""

    def __init__(self) -> None:
        self._likely: dict[int, frozenset[str]] = {}
        self._emptied: Counter[str] = Counter()

    def learn(self, rows: Sequence[Sequence[str]], columns: Iterable[int]) -> None:
        """Decide from a sample which words of `_LIKELY` stand for nothing in each column."""
        for column in columns:
            counts = Counter(row[column] for row in rows if column < len(row) and row[column] in _LIKELY)
            self._likely[column] = frozenset(word for word, count in counts.items() if count >= _REPEATED)

    def known(self) -> list[tuple[int, list[str]]]:
        """The words of each column that stand for nothing there and not everywhere."""
        return [(column, sorted(words)) for column, words in self._likely.items() if words]

    def emptied(self, cells: list[str], columns: Iterable[int]) -> list[str]:
        """The row with empty cells in place of those of these columns that stand for one."""
        changed = cells
        for column in columns:
            cell = cells[column]
            if cell in _SURE or (cell in _LIKELY and cell in self._likely.get(column, ())):
                if changed is cells:
                    changed = list(cells)
                changed[column] = ""
                self._emptied[cell] += 1
        return changed

    def note(self) -> str:
        """What was read as empty, for the user; "" if nothing was."""
        if not self._emptied:
            return ""
        words = ", ".join(f"'{word}' ({count:,})" for word, count in self._emptied.most_common(5))
        return f"{counted(self._emptied.total(), f'cells hold {words} and were read as empty')}."
