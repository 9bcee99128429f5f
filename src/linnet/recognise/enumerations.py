"""Names that a text lists by their last signs alone: "hepatitis A, B and C", "trisomy 13, 18 or 21"."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Enumeration", "enumeration_from", "is_enumeration"]

_SIGNS = {
    "letter": r"[A-H]",
    "Roman numeral": r"[IVX]{1,4}",
    "number": r"\d{1,2}[A-Za-z]?",
    "letter and number": r"[A-Z]\d{1,2}",
}
_LAST = {sign: re.compile(rf"(?<=\w)[\s-]({pattern})$") for sign, pattern in _SIGNS.items()}
_MORE = {
    sign: re.compile(
        rf"((?:,\s?{pattern})*(?:,?\s(?:and/or|and|or|&)\s|\s?/\s?){pattern})(?![\w.%-]*\w|\s?%)"
    )
    for sign, pattern in _SIGNS.items()
}
_SIGN = {sign: re.compile(rf"(?<!\w){pattern}(?!\w)") for sign, pattern in _SIGNS.items()}
# "and 2 patients" counts them.
_COUNTED = re.compile(r"\s(?:of|out|[a-z]+s|[a-z]+en)\b")
_LETTERS = 3  # of what the items share
_LONGEST = 200  # characters of a list, as of a mention that is split


class Enumeration(NamedTuple):
    """A list of names.

    end    offset behind it
    names  of its items, written out
    """

    end: int
    names: tuple[str, ...]


def enumeration_from(text: str, start: int, end: int) -> Enumeration | None:
    """The list that goes on behind a name at these offsets; None if none does.

    >>> enumeration_from("hepatitis A, B and C", 0, 11)
    Enumeration(end=20, names=('hepatitis A', 'hepatitis B', 'hepatitis C'))
    """
    for sign, pattern in _LAST.items():
        last = pattern.search(text[start:end])
        more = _MORE[sign].match(text, end) if last else None
        if last is None or more is None:
            continue
        shared = text[start : start + last.start(1)]
        counts = sign == "number" and _COUNTED.match(text, more.end())
        if sum(map(str.isalpha, shared)) >= _LETTERS and not counts:
            signs = [last[1], *_SIGN[sign].findall(more[1])]
            return Enumeration(more.end(), tuple(shared + each for each in signs))
    return None


def is_enumeration(text: str) -> bool:
    """Whether a text is such a list, from its first name to its end."""
    return len(text) <= _LONGEST and any(
        (found := enumeration_from(text, 0, place)) is not None and found.end == len(text)
        for place in (match.start() for match in re.finditer(r",|\s(?:and|or|&)|\s?/", text))
    )
