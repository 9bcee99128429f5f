"""Brackets in a text: their segments, possible short forms among these, and the words before that may explain them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = [
    "QUOTES",
    "ShortForm",
    "bracket_spans",
    "is_code",
    "may_be_short",
    "segments",
    "short_forms",
    "singular",
]

_BRACKETS = re.compile(r"[()\[\]]")
_PAIRS = {")": "(", "]": "["}
_MAX_BRACKET = 200  # characters; more is an aside, not a definition
# A bracket within the bracket is a segment of its own: "(HNPCC [MIM 120435])".
_SEPARATOR = re.compile(r"[;:,=]\s|[;=]|(?<=\w)\s[(\[]")
QUOTES = "\"'“”‘’*"
_SEGMENT = re.compile(
    rf"""[\s{QUOTES}]*(?:(?:also|or|hereafter|herein|henceforth|i\.e\.,?|e\.g\.,?|the|an?
        |referred|abbreviated|termed|called|named|known|designated|denoted|as|to)\s+)*[\s{QUOTES}]*
        (?P<inside>.*?)[\s{QUOTES}.]*""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
# Boundaries that a long form does not cross: ends of sentences and clauses, brackets outside words.
_BOUNDARY = re.compile(
    r"(?:(?<=\w\w)[.!?]|[;:])\s+|\n|(?<!\S)[(\[](?!\w{1,3}[)\]]-)|[)\]](?![^\s,.])|,\s(?=(?:and|or|but|which|who)\s)"
)
# Short forms have 2 to 10 characters and at most two words (Schwartz & Hearst §3.1).
_SHORT = re.compile(r"(?=.{2,12}$)\w[\w./'+*-]*(?: [\w./'+*-]+)?")
_ROMAN = re.compile(r"[IVXivx]+")
_PLURAL = re.compile(r"(?<=[A-Z0-9])(?:'?s)$")
_NOT_SHORT = frozenset({
    "and", "are", "but", "for", "from", "her", "him", "his", "its", "mean", "not", "per", "see", "than",
    "the", "this", "was", "were", "who", "with", "fig", "figs", "ref", "refs", "table", "vol", "age",
    "aged", "male", "female", "man", "men", "woman", "women", "left", "right", "both", "type", "types",
    "mg", "kg", "ml", "day", "days", "week", "year", "years", "case", "cases", "group", "groups", "control",
    "controls",
})  # fmt: skip


class ShortForm(NamedTuple):
    """A possible short form in a bracket, its span, and the span of the words that may explain it."""

    text: str
    span: tuple[int, int]
    window: tuple[int, int]


def bracket_spans(text: str) -> list[tuple[int, int]]:
    """Spans of the contents of matching brackets, in the order of their ends; unmatched brackets are skipped."""
    stack: list[tuple[str, int]] = []
    spans = []
    for match in _BRACKETS.finditer(text):
        bracket = match.group()
        if bracket in "([":
            stack.append((bracket, match.end()))
        elif stack and stack[-1][0] == _PAIRS[bracket]:
            start = stack.pop()[1]
            if 1 < match.start() - start <= _MAX_BRACKET:
                spans.append((start, match.start()))
    return spans


def short_forms(text: str, start: int, end: int) -> Iterator[ShortForm]:
    """Possible short forms in the bracket of "long form (SHORT)", without and with a plural s."""
    window_end = start - 1
    while window_end and text[window_end - 1].isspace():
        window_end -= 1
    if not window_end or text[start - 1 : start] not in "([" or not text[start - 2 : start - 1].isspace():
        return
    for low, high in segments(text, start, end):
        segment = text[low:high]
        for short in dict.fromkeys((singular(segment), segment)):
            if may_be_short(short):
                letters = sum(c.isalnum() for c in short)
                window_start = _window_start(text, window_end, min(letters + 5, letters * 2))
                yield ShortForm(short, (low, high), (window_start, window_end))


def singular(short: str) -> str:
    """Without the s of a plural: "ATs", "AT's"."""
    return _PLURAL.sub("", short)


def is_code(short: str) -> bool:
    """Whether it can only be an abbreviation or a code: mostly capitals and digits."""
    return (
        len(short) > 1
        and " " not in short
        and sum(c.isupper() or c.isdigit() for c in short) * 2 > len(short)
    )


def segments(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans between the separators in a bracket, without lead-ins ("also called"), quotes and spaces."""
    separators = [match.span() for match in _SEPARATOR.finditer(text, start, end)]
    starts, ends = [start, *(stop for _, stop in separators)], [*(begin for begin, _ in separators), end]
    parts = (_SEGMENT.fullmatch(text, low, high) for low, high in zip(starts, ends, strict=True))
    return [part.span("inside") for part in parts if part]


def may_be_short(short: str) -> bool:
    """Whether it has the length of a short form and a letter, and is not a word or number common in brackets."""
    if not _SHORT.fullmatch(short) or _ROMAN.fullmatch(short) or short in _NOT_SHORT:
        return False
    letters = sum(c.isalpha() for c in short)
    return letters > 0 and letters + sum(c.isdigit() for c in short) >= 2


def _window_start(text: str, end: int, words: int) -> int:
    """Where the last `words` words before `end` begin, or their sentence, clause or bracket."""
    low = max(0, end - 40 * words)
    start = low
    for match in _BOUNDARY.finditer(text, low, end):
        start = match.end()
    begins = [m.start() for m in re.finditer(r"\S+", text[start:end])]
    return start + begins[-words] if len(begins) > words else start
