"""What spreadsheets make of ids and names, and then write as text: dates of gene names, numbers of codes, codes without zeros.

>>> damage("4-Oct")
'is a date'
>>> damage("2.00E+08")
'is a number whose last digits are lost'
>>> damage("Oct-4"), damage("E10.2"), damage("1E5")
('', '', '')
"""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["DecimalIds", "ShortIds", "damage"]

_MONTH = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
# "4-Oct" is what Excel makes of the gene name Oct-4, or OCT4. A name never has this form.
_DATE = re.compile(
    rf"\d{{1,2}}-(?:{_MONTH})|\d{{4}}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?|\d{{1,2}}/\d{{1,2}}/\d{{4}}"
)
_SCIENTIFIC = re.compile(r"\d(?:[.,]\d+)?E\+\d+")
_DECIMAL = re.compile(r"\d+\.0")
_FEWEST = 3  # ids that must all be so
_SEVEN_DIGITS = frozenset(["CL", "ECO", "EFO", "GO", "HP", "MONDO", "MP", "NBO", "PATO", "SO", "UBERON"])


def damage(text: str) -> str:
    """What a spreadsheet has made of the cell of an id or name; "" if it looks whole."""
    if not text[:1].isdigit():
        return ""
    if _DATE.fullmatch(text):
        return "is a date"
    return "is a number whose last digits are lost" if _SCIENTIFIC.fullmatch(text) else ""


class DecimalIds:
    """Notices where all ids are whole numbers with ".0": a column of numbers with gaps, as pandas writes it."""

    def __init__(self) -> None:
        self._first, self._count, self._others = "", 0, False

    def add(self, text: str) -> None:
        """Look at one id."""
        if self._others:
            return
        if _DECIMAL.fullmatch(text):
            self._first, self._count = self._first or text, self._count + 1
        else:
            self._others = True

    def problem(self) -> str:
        """What is wrong with the ids; "" if nothing is."""
        if self._others or self._count < _FEWEST:
            return ""
        return (
            f"all {self._count:,} ids are whole numbers with '.0', e.g. '{self._first}': expected codes as their vocabulary writes "
            f"them, e.g. '{self._first.removesuffix('.0')}'. Write the column without decimals, in pandas with .astype('Int64')."
        )


class ShortIds:
    """Counts ids with fewer digits than their vocabulary writes: a spreadsheet removes the zeros that a number begins with.

    >>> ids = ShortIds()
    >>> for id in ("HP:1250", "HP:0001250", "X:12"):
    ...     ids.add(id)
    >>> ids.note()
    "1 id of HP has fewer than 7 digits ('HP:1250'): a spreadsheet may have removed leading zeros. Expected: 'HP:0001250'."
    """

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def add(self, id: str) -> None:
        """Look at one id with its prefix."""
        prefix, _, digits = id.partition(":")
        if prefix in _SEVEN_DIGITS and digits.isdecimal() and len(digits) < 7:
            self._first.setdefault(prefix, digits)
            self._counts[prefix] += 1

    def note(self) -> str:
        """What is suspicious about the ids, for the user; "" if nothing is."""
        if not self._counts:
            return ""
        prefix, count = self._counts.most_common(1)[0]
        digits = self._first[prefix]
        ids = f"1 id of {prefix} has" if count == 1 else f"{count:,} ids of {prefix} have"
        example = f"'{prefix}:{digits}'" if count == 1 else f"e.g. '{prefix}:{digits}'"
        return (
            f"{ids} fewer than 7 digits ({example}): a spreadsheet may have removed leading zeros. "
            f"Expected: '{prefix}:{digits.zfill(7)}'."
        )
