"""Abbreviations that a document defines, "ataxia telangiectasia (AT)", and mentions with them spelt out.

Source: Schwartz & Hearst 2003, "A simple algorithm for identifying abbreviation definitions in biomedical text".
Differs: the letters of the short form are aligned with the long form by best score, not greedily from the right, and
an alignment that skips words or picks letters inside words too often is refused. Long forms cross no sentence end
and no bracket.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from linnet.recognise.alignment import align
from linnet.types import Mention

__all__ = ["Abbreviations", "Definition", "expand", "find_definitions"]


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


def find_definitions(text: str, *, names: Collection[str] = ()) -> list[Definition]:
    """The abbreviations defined in a text, in the order of their brackets.

    names  case-folded texts known to name something. Behind one of them a bracket defines an abbreviation
           whatever its letters: "zidovudine (AZT)", "myotonic dystrophy (DM)".

    Both "long form (SHORT)" and "SHORT (long form)", in round or square brackets, also where more is said in the
    bracket: "(AT; MIM 208900)".
    """
    found = []
    for start, end in _brackets(text):
        definition = _short_inside(text, start, end, names) or _long_inside(text, start, end)
        if definition is not None:
            found.append(definition)
    return found


def expand(text: str, definitions: Sequence[Definition]) -> str:
    """A mention with its short forms spelt out: "AT patients" → "ataxia telangiectasia patients".

    Short forms are replaced as whole words, in the case in which they were defined, and plurals of them too. Where
    the mention says both, the short form is dropped: "ataxia telangiectasia (AT)" → "ataxia telangiectasia". Of
    several definitions of a short form the first counts.
    """
    chosen = {d.short: d.long for d in reversed(definitions) if d.short in text}
    if not chosen:
        return text
    result = text
    for short in sorted(chosen, key=len, reverse=True):
        result = _without_repetition(result, short, chosen[short])
    result, used = _spelt_out(result, chosen)
    if used:  # a long form may itself hold a short one: "AT mutated (ATM)"
        result, _ = _spelt_out(
            result, {d.short: d.long for d in reversed(definitions) if d.short not in used}
        )
    return " ".join(result.split()) or text


class Abbreviations:
    """The definitions of one document, gathered from all its texts: the whole of it, or the contexts of its mentions."""

    def __init__(self, texts: Iterable[str], *, names: Collection[str] = ()) -> None:
        self.definitions = tuple(
            definition
            for text in dict.fromkeys(texts)
            if "(" in text or "[" in text
            for definition in find_definitions(text, names=names)
        )

    @classmethod
    def of(cls, mentions: Iterable[Mention]) -> Self:
        """The abbreviations defined around the mentions of one document; the mentions' own texts count as `names`."""
        found = list(mentions)
        return cls(
            (m.document.text for m in found), names={" ".join(m.text.casefold().split()) for m in found}
        )

    def expand(self, text: str) -> str:
        """A mention of the document with its short forms spelt out, see `expand`."""
        return expand(text, self.definitions) if self.definitions else text


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


def _short_inside(text: str, start: int, end: int, names: Collection[str]) -> Definition | None:
    """ "long form (SHORT)": of the parts of the bracket, the first that the words before it explain."""
    window_end = start - 1
    while window_end and text[window_end - 1].isspace():
        window_end -= 1
    if not window_end or text[start - 1 : start] not in "([" or not text[start - 2 : start - 1].isspace():
        return None
    for low, high in _parts(text, start, end):
        written = text[low:high]
        for short in dict.fromkeys((_PLURAL.sub("", written), written)):
            if not _may_be_short(short):
                continue
            letters = sum(c.isalnum() for c in short)
            window_start = _window_start(text, window_end, min(letters + 5, letters * 2))
            place = align(short, text[window_start:window_end])
            if place is None and names and _is_code(short):
                place = _name_at_end(text[window_start:window_end], names)
            if place is not None:
                return _definition(text, short, (low, high), (window_start + place, window_end))
    return None


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
        return _definition(text, short, before.span(), (low, high))
    return None


def _definition(text: str, short: str, written: tuple[int, int], span: tuple[int, int]) -> Definition | None:
    long = text[span[0] : span[1]]
    # "(AT) … AT mutated": a long form that holds its own short form explains nothing.
    if len(long) <= len(short) or (short in long and re.search(rf"(?<!\w){re.escape(short)}(?!\w)", long)):
        return None
    if " " not in long and sum(c.islower() for c in long) < 3:  # "CLP (CP)" lists two abbreviations
        return None
    return Definition(short, " ".join(long.split()), *written, *span)


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


def _spelt_out(text: str, longs: dict[str, str]) -> tuple[str, set[str]]:
    """The text with its short forms replaced, but those whose long form it has; and the ones that were."""
    folded = text.casefold()
    shorts = [short for short, long in longs.items() if short in text and long.casefold() not in folded]
    if not shorts:
        return text, set()
    pattern = _any_of(tuple(sorted(shorts, key=len, reverse=True)))
    used = {match[1] for match in pattern.finditer(text)}
    return pattern.sub(lambda match: longs[match[1]], text), used


def _without_repetition(text: str, short: str, long: str) -> str:
    """Drop a bracketed short form behind (the end of) its long form, and one before its bracketed long form."""
    inside = rf"\s*[(\[]\s*{re.escape(short)}s?\s*[)\]]"
    last_word = re.escape(long.split()[-1])
    text = re.sub(rf"(?i:({last_word})(s?)){inside}", r"\1\2", text)
    return re.sub(rf"(?<!\w){re.escape(short)}\s*[(\[]\s*((?i:{re.escape(long)})s?)\s*[)\]]", r"\1", text)


@lru_cache(maxsize=1024)
def _any_of(shorts: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, shorts))})(?:'?s)?(?!\w)")
