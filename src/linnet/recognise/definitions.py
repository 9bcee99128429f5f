"""Abbreviations that a text defines: "ataxia telangiectasia (AT)".

Source: Schwartz & Hearst 2003, "A simple algorithm for identifying abbreviation definitions in biomedical text".
Differs: the letters of the short form are aligned with the long form by best score, not greedily from the right, and
an alignment that skips words or picks letters inside words too often is refused. Long forms cross no sentence end
and no bracket.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from linnet.recent import RecentTexts
from linnet.recognise.alignment import align
from linnet.recognise.bracket_parts import (
    QUOTES,
    Short,
    bracket_spans,
    is_code,
    may_be_short,
    parts,
    shorts,
    singular,
)

__all__ = ["Brackets", "Definition", "find_definitions"]

_SEVERAL = re.compile(r"\b(?:and|or)\b|/")
_TOKEN_BEFORE = re.compile(r"[^\s()\[\],;]+$")


@dataclass(frozen=True, slots=True)
class Definition:
    """A short form, what it stands for, and where both are written: offsets into the text, end exclusive.

    The short form of "ataxias (ATs)" is "AT"; its span is that of "ATs".
    """

    short: str
    long: str
    short_start: int
    short_end: int
    long_start: int
    long_end: int


class Brackets:
    """The brackets of a text, read once; what is known to name something may be told afterwards, and differently."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._read = [_read(text, start, end) for start, end in bracket_spans(text)]

    def definitions(self, *, names: Collection[str] = ()) -> list[Definition]:
        """The abbreviations defined, in the order of their brackets; `names` as for `find_definitions`."""
        found = (_defined(self._text, bracket, names) for bracket in self._read)
        return [definition for definition in found if definition is not None]

    @classmethod
    def of(cls, text: str) -> Brackets:
        """Those of a text, which are not read again while it is in use: a recogniser asks for them, then the linker."""
        return _recent.of(text)


_recent = RecentTexts(Brackets)


def find_definitions(text: str, *, names: Collection[str] = ()) -> list[Definition]:
    """The abbreviations defined in a text, in the order of their brackets.

    names  case-folded texts known to name something. Behind one of them a bracket defines an abbreviation
           whatever its letters: "zidovudine (AZT)", "myotonic dystrophy (DM)".

    Both "long form (SHORT)" and "SHORT (long form)", in round or square brackets, also where more is said in the
    bracket: "(AT; MIM 208900)".
    """
    return Brackets.of(text).definitions(names=names)


class _Bracket(NamedTuple):
    """What a bracket defines as its letters say, and as "SHORT (long form)"; before either, what it does behind a name.

    codes  those of its short forms that are tried before the one whose letters are explained
    """

    codes: list[Short]
    explained: Definition | None
    inside: Definition | None


def _read(text: str, start: int, end: int) -> _Bracket:
    codes: list[Short] = []
    explained = None
    for short in shorts(text, start, end):
        place = align(short.text, text[slice(*short.window)])
        if place is not None:
            explained = _definition(text, short, place)
            break
        if is_code(short.text):
            codes.append(short)
    inside = _long_inside(text, start, end) if codes or explained is None else None
    return _Bracket(codes, explained, inside)


def _defined(text: str, bracket: _Bracket, names: Collection[str]) -> Definition | None:
    for short in bracket.codes if names else ():
        place = _name_at_end(text[slice(*short.window)], names)
        if place is not None:
            return _definition(text, short, place) or bracket.inside
    return bracket.explained or bracket.inside


def _name_at_end(window: str, names: Collection[str]) -> int | None:
    """Where the longest name begins with which the window ends."""
    for match in re.finditer(r"(?<!\w)\w", window):
        name = window[match.start() :].casefold()
        if name in names and not _SEVERAL.search(name):
            return match.start()
    return None


def _long_inside(text: str, start: int, end: int) -> Definition | None:
    """ "SHORT (long form)": the long form must begin where the bracket, or a part of it, begins."""
    before = _TOKEN_BEFORE.search(text, max(0, start - 20), start - 1 - (text[start - 2 : start - 1] == " "))
    if before is None:
        return None
    short = singular(before.group().strip(QUOTES))
    if not may_be_short(short) or not any(c.isupper() for c in short):
        return None
    low, high = parts(text, start, end)[0]
    if high - low > len(short) and align(short, text[low:high]) == 0:
        return _definition(text, Short(short, before.span(), (low, high)), 0)
    return None


def _definition(text: str, found: Short, place: int) -> Definition | None:
    """The definition whose long form begins at this place of the window."""
    short, (start, end) = found.text, found.window
    long = text[start + place : end]
    # "(AT) … AT mutated": a long form that holds its own short form explains nothing.
    if len(long) <= len(short) or (short in long and re.search(rf"(?<!\w){re.escape(short)}(?!\w)", long)):
        return None
    if " " not in long and sum(c.islower() for c in long) < 3:  # "CLP (CP)" lists two abbreviations
        return None
    return Definition(short, " ".join(long.split()), *found.written, start + place, end)
