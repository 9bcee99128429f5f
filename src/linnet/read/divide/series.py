"""Names that a text lists by their last signs alone, "hepatitis A, B and C", or by their first: "type 1 and 2 diabetes"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = [
    "Enumeration",
    "NumberedList",
    "enumeration_from",
    "is_enumeration",
    "numbered_lists",
    "numbered_names",
]

_SIGNS = {
    "letter": r"[A-H]",
    "Roman numeral": r"[IVX]{1,4}",
    "number": r"\d{1,2}[A-Za-z]?",
    "letter and number": r"[A-Z]\d{1,2}",
}
# The sign at the end of a name; each is of one kind only.
_LAST = re.compile(rf"(?<=\w)[\s-](?:{'|'.join(f'({pattern})' for pattern in _SIGNS.values())})$")
_LISTED = r"(?:,\s?{sign})*(?:,?\s(?:and/or|and|or|&)\s|\s?/\s?)"
_MORE = [
    re.compile(rf"({_LISTED.replace('{sign}', sign)}{sign})(?![\w.%-]*\w|\s?%)") for sign in _SIGNS.values()
]
_SIGN = [re.compile(rf"(?<!\w){sign}(?!\w)") for sign in _SIGNS.values()]
# Not "grade": annotators leave it out ("grade III or IV astrocytomas" in BC5CDR train).
_NUMBERED = [
    re.compile(
        rf"(?<![\w-])(?P<rank>(?i:type|stage|class))(?:s|es)?[\s-]"
        rf"(?P<signs>{sign}{_LISTED.replace('{sign}', sign)}(?:(?i:(?P=rank))[\s-])?{sign})\s+(?=\w)"
    )
    for sign in list(_SIGNS.values())[1:]  # "type A and B" may go on as "type A and B patients"
]
_JOINT = re.compile(r",|\s(?:and|or|&)|\s?/")
_NUMBERED_NAME = re.compile(r"(?!(?:of|in|and|or)\b)[\w'’-]+(?:\s(?!(?:and|or|with|plus)\b)[\w'’-]+){0,5}")
# "and 2 patients" counts them.
_COUNTED = re.compile(r"\s(?:of|out|[a-z]+s|[a-z]+en)\b")
_NUMBER = list(_SIGNS).index("number")
_LETTERS = 3  # of what the items share
_MAX_CHARACTERS = 200  # characters of a list, as of a mention that is split


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
    last = _LAST.search(text[start:end])
    if last is None or last.lastindex is None:
        return None
    kind = last.lastindex - 1
    more, shared = _MORE[kind].match(text, end), text[start : start + last.start(last.lastindex)]
    if more is None or sum(map(str.isalpha, shared)) < _LETTERS:
        return None
    if kind == _NUMBER and _COUNTED.match(text, more.end()):
        return None
    signs = [last[last.lastindex], *_SIGN[kind].findall(more[1])]
    return Enumeration(more.end(), tuple(shared + each for each in signs))


class NumberedList(NamedTuple):
    """The beginning of a list of names that share their end.

    start  offset of the first
    name   offset of the end that they share
    leads  what the names begin with, written out
    """

    start: int
    name: int
    leads: tuple[str, ...]


def numbered_lists(text: str) -> Iterator[NumberedList]:
    """The beginnings of such lists in a text.

    >>> list(numbered_lists("type 1 or type 2 diabetes"))
    [NumberedList(start=0, name=17, leads=('type 1', 'type 2'))]
    """
    for kind, pattern in enumerate(_NUMBERED, start=1):
        for match in pattern.finditer(text):
            leads = (f"{match['rank']} {each}" for each in _SIGN[kind].findall(match["signs"]))
            yield NumberedList(match.start(), match.end(), tuple(leads))


def numbered_names(text: str) -> tuple[str, ...]:
    """The names that a text lists by their first signs, written out; () if it is no such list, from its first name to its end.

    >>> numbered_names("types 1 and 2 diabetes")
    ('type 1 diabetes', 'type 2 diabetes')
    """
    for listed in numbered_lists(text[:_MAX_CHARACTERS]):
        if listed.start == 0 and _NUMBERED_NAME.fullmatch(text, listed.name):
            return tuple(f"{lead} {text[listed.name :]}" for lead in listed.leads)
    return ()


def is_enumeration(text: str) -> bool:
    """Whether a text is a list of either kind, from its first name to its end."""
    if len(text) > _MAX_CHARACTERS:
        return False
    lists = (enumeration_from(text, 0, joint.start()) for joint in _JOINT.finditer(text))
    return bool(numbered_names(text)) or any(each and each.end == len(text) for each in lists)
