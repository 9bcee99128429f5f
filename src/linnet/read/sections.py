"""The sections of a clinical note by their headings: past history, family history, allergies, medications, plan …

A heading stands at a line's start, alone or before a colon, a dash, wide blanks or, as a short form in capitals, before its text; or
within a line before a colon. Its words are in `lexicon/section_headings.tsv`. A section below a heading reaches to the next heading, or
to a line that looks like one; one that begins on the line of its heading ends with its paragraph, or before a line with a label.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from linnet.read.rules import rows
from linnet.words.text_cache import RecentTexts

__all__ = ["KINDS", "Section", "is_heading", "section_at", "sections"]

_LABEL = r"[A-Za-z][\w/&'’+-]*(?:[ ,/&(-]+[\w/&'’+()-]+){0,5}"
_MARK = r"[^\S\n]*(?:>[> ]*)?(?:[-*•#=]+[^\S\n]*|\(?\d{1,2}[.)][^\S\n]*)?"
_AT_START = re.compile(
    rf"^{_MARK}(?P<label>{_LABEL}?)(?P<end>[^\S\n]*:|[^\S\n]+[-–][^\S\n]|[^\S\n]{{2,}}|\t|[^\S\n]*$)", re.M
)
_BEFORE_TEXT = re.compile(rf"^{_MARK}(?P<label>[A-Z][\w/]{{1,8}})(?P<end>[^\S\n]+)", re.M)
_IN_LINE = re.compile(
    r"(?:(?<=[.;,)])|(?<=\S[ \t]))[^\S\n]+(?P<label>[A-Z][\w/]*(?: [\w/]+){0,3}?)(?P<end>:)"
)
_IN_LINE_UPPER = re.compile(
    r"(?:(?<=[.;,)])|(?<=\S[ \t]))[^\S\n]+(?P<label>[A-Z][A-Z/]{1,6}x?)(?P<end>[^\S\n]+)"
)
_BLANK_LINE = re.compile(r"\n[^\S\n]*(?:\n(?!\s*(?:[-*•]|\(?\d{1,2}[.)]))|$)")
_MOST_WORDS = 6
_LISTS = frozenset({"past history", "family history", "allergies", "medications", "problems"})


class Section(NamedTuple):
    """Text from `start` to before `end`, behind or below a heading.

    run_in   whether it begins on the line of its heading
    heading  where that begins
    """

    start: int
    end: int
    kind: str
    run_in: bool
    heading: int


class _Heading(NamedTuple):
    start: int
    end: int
    kind: str  # "" of a label that is no known heading
    is_sure: bool
    run_in: bool


def sections(text: str) -> Sequence[Section]:
    """The sections of known kinds, in order; they do not overlap, and () for a text without a clinical heading.

    >>> [(text[s.start : s.end].strip(), s.kind) for text in ["PMH: asthma.\\nFH: gout"] for s in sections(text)]
    [('asthma.', 'past history'), ('gout', 'family history')]
    """
    return _recent.of(text)


def section_at(text: str, position: int) -> Section | None:
    """The section that holds this offset, or None."""
    found = sections(text)
    index = bisect_right(found, position, key=lambda section: section.start) - 1
    return found[index] if index >= 0 and position < found[index].end else None


def is_heading(text: str, start: int) -> bool:
    """Whether what begins here stands in the heading of a section."""
    found = sections(text)
    index = bisect_right(found, start, key=lambda section: section.heading) - 1
    return index >= 0 and found[index].heading <= start < found[index].start


def _sections(text: str) -> tuple[Section, ...]:
    headings = sorted(_headings(text))
    if not any(heading.kind and heading.is_sure for heading in headings):
        return ()
    found = []
    for position, heading in enumerate(headings):
        if heading.kind:
            ends = (later for later in headings[position + 1 :] if _ends(text, heading, later))
            end = next((later.start for later in ends), len(text))
            if heading.run_in or heading.kind in _LISTS:
                blank = _BLANK_LINE.search(text, _first_text(text, heading.end), end)
                end = blank.start() if blank else end
            found.append(Section(heading.end, end, heading.kind, heading.run_in, heading.start))
    return tuple(found)


_recent = RecentTexts(_sections)


def _first_text(text: str, position: int) -> int:
    return next((i for i in range(position, len(text)) if not text[i].isspace()), len(text))


def _ends(text: str, heading: _Heading, later: _Heading) -> bool:
    """Whether a section ends before a later heading: a known one, or a label as large as its own."""
    if later.start < heading.end:
        return False
    return bool(later.kind) or heading.run_in or not later.run_in


def _headings(text: str) -> Iterator[_Heading]:
    seen = set()
    for match in _AT_START.finditer(text):
        label, end = match["label"], match["end"].strip()
        alone = not text[match.end() : _line_end(text, match.end())].strip()
        kind, how = _kind(label)
        colon = end == ":"
        is_longer = _plain(label) not in _phrases()
        if not colon and (how == "colon" or (is_longer and ("," in label or not label.isupper()))):
            kind = ""
        if kind and not (colon or alone) and how != "upper" and not label.isupper() and label.islower():
            kind = ""
        if kind or colon or (alone and label.isupper() and " " in label):
            seen.add(match.start("label"))
            yield _Heading(match.start(), match.end(), kind, how != "no", not alone)
    for pattern, needs_upper in ((_BEFORE_TEXT, True), (_IN_LINE, False), (_IN_LINE_UPPER, True)):
        for match in pattern.finditer(text):
            kind, how = _phrases().get(_plain(match["label"]), ("", ""))
            if kind and (how == "upper" or not needs_upper) and match.start("label") not in seen:
                seen.add(match.start("label"))
                yield _Heading(match.start(), match.end(), kind, how != "no", True)


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _kind(label: str) -> tuple[str, str]:
    """Kind and `alone` of the longest heading that a label is, or begins or ends with; ("", "") for none."""
    words = _plain(label).split()
    if len(words) <= _MOST_WORDS:
        for length in range(len(words), 0, -1):
            for part in (words[:length], words[len(words) - length :]):
                found = _phrases().get(" ".join(part))
                if found and (length == len(words) or (found[1] in ("", "upper") and "of" not in words)):
                    return found
    return "", ""


def _plain(label: str) -> str:
    return " ".join(label.lower().replace("’", "'").split())


@cache
def _phrases() -> dict[str, tuple[str, str]]:
    found = {}
    for row in rows("section_headings"):
        for words in product(*(word.split("|") for word in row["heading"].split())):
            found[" ".join(words).replace("_", " ")] = (row["kind"], row["alone"])
    return found


KINDS = tuple(dict.fromkeys(row["kind"] for row in rows("section_headings")))
"""The kinds of sections, in the order of the table."""
