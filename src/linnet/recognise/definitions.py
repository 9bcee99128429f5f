"""Abbreviations that a text defines: "ataxia telangiectasia (AT)".

Source: Schwartz & Hearst 2003, "A simple algorithm for identifying abbreviation definitions in biomedical text".
Differs: the letters of the short form are aligned with the long form by best score, not greedily from the right, and
an alignment that skips words or picks letters inside words too often is refused. Long forms cross no sentence end
and no bracket.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from linnet.recognise.alignment import align

__all__ = ["Brackets", "Definition", "find_definitions"]


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


_BRACKETS = re.compile(r"[()\[\]]")
_PAIRS = {")": "(", "]": "["}
_LONGEST_BRACKET = 200  # characters; more is an aside, not a definition
_SEPARATOR = re.compile(r"[;:,=]\s|[;=]")
_LEAD_IN = re.compile(
    r"(?:(?:also|or|hereafter|herein|henceforth|i\.e\.,?|e\.g\.,?|the|an?|referred|abbreviated|termed|called|named|known|designated|denoted|as|to)\s+)+",
    re.IGNORECASE,
)
_QUOTES = "\"'“”‘’*"
# What a long form does not cross: the end of a sentence or clause, and brackets outside words.
_BOUNDARY = re.compile(
    r"(?:(?<=\w\w)[.!?]|[;:])\s+|\n|(?<!\S)[(\[](?!\w{1,3}[)\]]-)|[)\]](?![^\s,.])|,\s(?=(?:and|or|but|which|who)\s)"
)
_TOKEN_BEFORE = re.compile(r"[^\s()\[\],;]+$")
# Short forms have 2 to 10 characters and at most two words (Schwartz & Hearst §3.1).
_SHORT = re.compile(r"(?=.{2,12}$)\w[\w./'+*-]*(?: [\w./'+*-]+)?")
_ROMAN = re.compile(r"[IVXivx]+")
_SEVERAL = re.compile(r"\b(?:and|or)\b|/")
_PLURAL = re.compile(r"(?<=[A-Z0-9])(?:'?s)$")
_NOT_SHORT = frozenset({
    "and", "are", "but", "for", "from", "her", "him", "his", "its", "mean", "not", "per", "see", "than",
    "the", "this", "was", "were", "who", "with", "fig", "figs", "ref", "refs", "table", "vol", "age",
    "aged", "male", "female", "man", "men", "woman", "women", "left", "right", "both", "type", "types",
    "mg", "kg", "ml", "day", "days", "week", "year", "years", "case", "cases", "group", "groups", "control",
    "controls",
})  # fmt: skip


class Brackets:
    """The brackets of a text, read once; what is known to name something may be told afterwards, and differently."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._read = [_read(text, start, end) for start, end in _brackets(text)]

    def definitions(self, *, names: Collection[str] = ()) -> list[Definition]:
        """The abbreviations defined, in the order of their brackets; `names` as for `find_definitions`."""
        found = (_defined(self._text, bracket, names) for bracket in self._read)
        return [definition for definition in found if definition is not None]


def find_definitions(text: str, *, names: Collection[str] = ()) -> list[Definition]:
    """The abbreviations defined in a text, in the order of their brackets.

    names  case-folded texts known to name something. Behind one of them a bracket defines an abbreviation
           whatever its letters: "zidovudine (AZT)", "myotonic dystrophy (DM)".

    Both "long form (SHORT)" and "SHORT (long form)", in round or square brackets, also where more is said in the
    bracket: "(AT; MIM 208900)".
    """
    return Brackets(text).definitions(names=names)


class _Short(NamedTuple):
    """What may be a short form in a bracket, where it is written, and where the words lie that may explain it."""

    text: str
    written: tuple[int, int]
    window: tuple[int, int]


class _Bracket(NamedTuple):
    """What a bracket defines as its letters say, and as "SHORT (long form)"; before either, what it does behind a name.

    codes  those of its short forms that are tried before the one whose letters are explained
    """

    codes: list[_Short]
    explained: Definition | None
    inside: Definition | None


def _read(text: str, start: int, end: int) -> _Bracket:
    codes: list[_Short] = []
    explained = None
    for short in _shorts(text, start, end):
        place = align(short.text, text[slice(*short.window)])
        if place is not None:
            explained = _definition(text, short, place)
            break
        if _is_code(short.text):
            codes.append(short)
    inside = _long_inside(text, start, end) if codes or explained is None else None
    return _Bracket(codes, explained, inside)


def _defined(text: str, bracket: _Bracket, names: Collection[str]) -> Definition | None:
    for short in bracket.codes if names else ():
        place = _name_at_end(text[slice(*short.window)], names)
        if place is not None:
            return _definition(text, short, place) or bracket.inside
    return bracket.explained or bracket.inside


def _brackets(text: str) -> list[tuple[int, int]]:
    """Offsets of the insides of matching brackets, in the order of their ends; unmatched ones are passed over."""
    stack: list[tuple[str, int]] = []
    spans = []
    for match in _BRACKETS.finditer(text):
        bracket = match.group()
        if bracket in "([":
            stack.append((bracket, match.end()))
        elif stack and stack[-1][0] == _PAIRS[bracket]:
            start = stack.pop()[1]
            if 1 < match.start() - start <= _LONGEST_BRACKET:
                spans.append((start, match.start()))
    return spans


def _shorts(text: str, start: int, end: int) -> Iterator[_Short]:
    """Of "long form (SHORT)": the parts of the bracket that may be short forms, without and with a plural s."""
    window_end = start - 1
    while window_end and text[window_end - 1].isspace():
        window_end -= 1
    if not window_end or text[start - 1 : start] not in "([" or not text[start - 2 : start - 1].isspace():
        return
    for low, high in _parts(text, start, end):
        written = text[low:high]
        for short in dict.fromkeys((_PLURAL.sub("", written), written)):
            if _may_be_short(short):
                letters = sum(c.isalnum() for c in short)
                window_start = _window_start(text, window_end, min(letters + 5, letters * 2))
                yield _Short(short, (low, high), (window_start, window_end))


def _is_code(short: str) -> bool:
    """Whether it looks like nothing but an abbreviation or a code: capitals and digits."""
    return (
        len(short) > 1
        and " " not in short
        and sum(c.isupper() or c.isdigit() for c in short) * 2 > len(short)
    )


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
    short = _PLURAL.sub("", before.group().strip(_QUOTES))
    if not _may_be_short(short) or not any(c.isupper() for c in short):
        return None
    low, high = _parts(text, start, end)[0]
    if high - low > len(short) and align(short, text[low:high]) == 0:
        return _definition(text, _Short(short, before.span(), (low, high)), 0)
    return None


def _definition(text: str, found: _Short, place: int) -> Definition | None:
    """The definition whose long form begins at this place of the window."""
    short, (start, end) = found.text, found.window
    long = text[start + place : end]
    # "(AT) … AT mutated": a long form that holds its own short form explains nothing.
    if len(long) <= len(short) or (short in long and re.search(rf"(?<!\w){re.escape(short)}(?!\w)", long)):
        return None
    if " " not in long and sum(c.islower() for c in long) < 3:  # "CLP (CP)" lists two abbreviations
        return None
    return Definition(short, " ".join(long.split()), *found.written, start + place, end)


def _parts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The bracket's parts between separators, without lead-ins ("also called"), quotes and spaces."""
    cuts = [start, *(m.end() for m in _SEPARATOR.finditer(text, start, end))]
    ends = [*(m.start() for m in _SEPARATOR.finditer(text, start, end)), end]
    parts = []
    for low, high in zip(cuts, ends, strict=True):
        while low < high and (text[low].isspace() or text[low] in _QUOTES):
            low += 1
        if lead_in := _LEAD_IN.match(text, low, high):
            low = lead_in.end()
        while low < high and (text[low].isspace() or text[low] in _QUOTES):
            low += 1
        while high > low and (text[high - 1].isspace() or text[high - 1] in _QUOTES + "."):
            high -= 1
        parts.append((low, high))
    return parts


def _may_be_short(short: str) -> bool:
    if not _SHORT.fullmatch(short) or _ROMAN.fullmatch(short) or short in _NOT_SHORT:
        return False
    letters = sum(c.isalpha() for c in short)
    return letters > 0 and letters + sum(c.isdigit() for c in short) >= 2


def _window_start(text: str, end: int, words: int) -> int:
    """Where the last `words` words before `end` begin, or the sentence, clause or bracket they stand in."""
    low = max(0, end - 40 * words)
    start = low
    for match in _BOUNDARY.finditer(text, low, end):
        start = match.end()
    begins = [m.start() for m in re.finditer(r"\S+", text[start:end])]
    return start + begins[-words] if len(begins) > words else start
