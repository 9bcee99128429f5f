"""The rows of CoNLL, a token and its tag each, and whether lines are such rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

__all__ = ["START", "TAG", "cells_of", "is_comment", "looks_like_conll", "odd_row"]

START = "-DOCSTART-"
TAG = re.compile(r"^(?:O|([BIESLUMW])(?:[-_:](\S.*))?)$")
"""Groups: the kind (none for O) and the type (none for a tag without type)."""

_TYPED = re.compile(r"[BISELUMW][-_:][A-Za-z]{3}")
_FEWEST, _SHARE = 3, 0.7  # rows with a tag that a damaged file has, at least


def cells_of(line: str) -> list[str]:
    """The cells of a line: separated by tabs if it has one, else by white space."""
    return [cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())]


def is_comment(line: str, columns: int = 0) -> bool:
    """Whether the line is a comment (`#`) and not a token row; columns: their number, 0 if not known yet."""
    if not line.startswith("#"):
        return False
    cells = cells_of(line)
    fits = len(cells) == columns if columns else "\t" in line or len(cells) == 2
    return not (fits and len(cells) > 1 and TAG.match(cells[-1]))


def looks_like_conll(lines: Sequence[str]) -> bool:
    """Whether every line is a token and a tag in a constant number of columns, `-DOCSTART-`, blank or a comment.

    Tags without types (`B`, `O`) count only in sentences separated by blank lines: blood groups look the same.
    """
    if next((line for line in lines if line.strip()), "").startswith(START):
        return True
    kept = [line for line in lines if not line.startswith(START)]
    rows = [cells for _, cells in _rows(kept)]
    tags = [TAG.match(cells[-1]) for cells in rows]
    if not rows or not all(tags) or len(rows[0]) < 2 or any(len(cells) != len(rows[0]) for cells in rows):
        return False
    in_sentences = any(not line.strip() for line in kept[1 : len(rows)])
    outside = any(cells[-1] == "O" for cells in rows)
    typed = any(tag and tag[2] for tag in tags)
    return len(rows) > 1 and (typed or (outside and in_sentences))


def odd_row(lines: Sequence[str]) -> int | None:
    """The number, from 1, of the first line that is no row, where most are; None if most are no rows, or all are."""
    rows = _rows(lines)
    tagged = [(number, cells) for number, cells in rows if len(cells) > 1 and TAG.match(cells[-1])]
    typed = any(_TYPED.match(cells[-1]) for _, cells in tagged)  # "vitamin B-12" ends in none
    if len(tagged) < _FEWEST or not typed or len(tagged) < _SHARE * len(rows):
        return None
    width = Counter(len(cells) for _, cells in tagged).most_common(1)[0][0]
    fits = {number for number, cells in tagged if len(cells) == width}
    return next((number for number, _ in rows if number not in fits), None)


def _rows(lines: Iterable[str]) -> list[tuple[int, list[str]]]:
    """Number, from 1, and cells of each line that is neither blank nor a comment."""
    return [
        (number, cells_of(line))
        for number, line in enumerate(lines, 1)
        if line.strip() and not is_comment(line)
    ]
