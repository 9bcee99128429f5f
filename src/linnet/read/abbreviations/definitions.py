"""Definitions of abbreviations in a text: "ataxia telangiectasia (AT)".

Source: Schwartz & Hearst 2003, "A simple algorithm for identifying abbreviation definitions in biomedical text".
Differs: the letters of the short form are aligned with the long form by best score, not greedily from the right.
Alignments that skip many words, or take many letters from inside words, are refused. Long forms do not cross the end of a
sentence or a bracket.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from linnet.read.abbreviations.alignment import align
from linnet.read.abbreviations.brackets import (
    QUOTES,
    ShortForm,
    bracket_spans,
    is_code,
    may_be_short,
    segments,
    short_forms,
    singular,
)
from linnet.words.text_cache import RecentTexts

__all__ = ["Definition", "appositions", "find_definitions"]

_SEVERAL = re.compile(r"\b(?:and|or)\b|/")
_APPOSED = re.compile(r"\s?,\s+(?:or\s+|also\s+)?|\s+or\s+")
_TOKEN_BEFORE = re.compile(r"[^\s()\[\],;]+$")


@dataclass(frozen=True, slots=True)
class Definition:
    """A short form, its long form, and the offsets of both in the text, ends exclusive.

    The short form of "ataxias (ATs)" is "AT"; its span is that of "ATs".
    """

    short: str
    long: str
    short_start: int
    short_end: int
    long_start: int
    long_end: int


def find_definitions(text: str, *, names: Collection[str] = ()) -> list[Definition]:
    """The abbreviations defined in a text, in the order of their brackets.

    names  case-folded texts known to be names. After one of them, a bracket defines an abbreviation with any letters:
           "zidovudine (AZT)", "myotonic dystrophy (DM)".

    Finds "long form (SHORT)" and "SHORT (long form)", in round or square brackets, also with more text in the bracket:
    "(AT; MIM 208900)".
    """
    definitions = (_definition_in(text, bracket, names) for bracket in _recent.of(text))
    return [definition for definition in definitions if definition is not None]


def appositions(text: str, names: Sequence[tuple[int, int]]) -> Iterator[Definition]:
    """Definitions without brackets: of two names side by side, the one that is the other's letters: "ketohexokinase, KHK, …", "CKD, or
    chronic kidney disease".

    names  spans of the names in the text, in order
    """
    for (first, first_end), (second, second_end) in pairwise(names):
        if first_end < second and _APPOSED.fullmatch(text, first_end, second):
            one, other = text[first:first_end], text[second:second_end]
            for short, long, span, window in (
                (other, one, (second, second_end), (first, first_end)),
                (one, other, (first, first_end), (second, second_end)),
            ):
                form = ShortForm(singular(short), span, window)
                spells = is_code(form.text) and may_be_short(form.text) and align(form.text, long) == 0
                found = _definition(text, form, 0) if spells and not _SEVERAL.search(long) else None
                if found is not None:
                    yield found


class _Bracket(NamedTuple):
    """The definitions that a bracket may hold.

    codes     short forms that are tried first, as abbreviations of a known name before the bracket
    aligned   "long form (SHORT)", by its letters
    reversed  "SHORT (long form)"
    """

    codes: list[ShortForm]
    aligned: Definition | None
    reversed: Definition | None


# The recogniser, the linker and the reranker need the brackets of the same texts, with other names.
_recent = RecentTexts(lambda text: [_parsed(text, start, end) for start, end in bracket_spans(text)])


def _parsed(text: str, start: int, end: int) -> _Bracket:
    codes: list[ShortForm] = []
    aligned = None
    for short in short_forms(text, start, end):
        place = align(short.text, text[slice(*short.window)])
        if place is not None:
            aligned = _definition(text, short, place)
            break
        if is_code(short.text):
            codes.append(short)
    return _Bracket(codes, aligned, _reversed(text, start, end) if codes or aligned is None else None)


def _definition_in(text: str, bracket: _Bracket, names: Collection[str]) -> Definition | None:
    for short in bracket.codes if names else ():
        place = _name_at_end(text[slice(*short.window)], names)
        if place is not None:
            return _definition(text, short, place) or bracket.reversed
    return bracket.aligned or bracket.reversed


def _name_at_end(window: str, names: Collection[str]) -> int | None:
    """Start of the longest name at the end of the window."""
    for match in re.finditer(r"(?<!\w)\w", window):
        name = window[match.start() :].casefold()
        if name in names and not _SEVERAL.search(name):
            return match.start()
    return None


def _reversed(text: str, start: int, end: int) -> Definition | None:
    """ "SHORT (long form)": the long form must begin where the bracket's first segment begins."""
    before = _TOKEN_BEFORE.search(text, max(0, start - 20), start - 1 - (text[start - 2 : start - 1] == " "))
    if before is None:
        return None
    short = singular(before.group().strip(QUOTES))
    if not may_be_short(short) or not any(c.isupper() for c in short):
        return None
    low, high = segments(text, start, end)[0]
    if high - low > len(short) and align(short, text[low:high]) == 0:
        return _definition(text, ShortForm(short, before.span(), (low, high)), 0)
    return None


def _names_several(short: str, long: str) -> bool:
    """Whether the long form begins with "and" or "or", or the short form lacks the first letter of a word after one."""
    words, letters = long.split(), short.casefold()
    return any(
        word in ("and", "or") and (not position or next_word[0].casefold() not in letters)
        for position, (word, next_word) in enumerate(pairwise(words))
    )


def _definition(text: str, short_form: ShortForm, position: int) -> Definition | None:
    """The definition whose long form begins at this place of the window."""
    short, (start, end) = short_form.text, short_form.window
    long = text[start + position : end]
    # "(AT) … AT mutated": a long form that holds its own short form explains nothing.
    if len(long) <= len(short) or (short in long and re.search(rf"(?<!\w){re.escape(short)}(?!\w)", long)):
        return None
    # "estrogen and progesterone receptors (ER)", "fibrillation and flutter (AF)": the words are not those of one name.
    if _names_several(short, long):
        return None
    if " " not in long and sum(c.islower() for c in long) < 3:  # "CLP (CP)" lists two abbreviations
        return None
    return Definition(short, " ".join(long.split()), *short_form.span, start + position, end)
