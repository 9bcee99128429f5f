"""Lists that share a part, "breast and ovarian cancer", as one mention when each part is a name."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import attrgetter

from linnet.recognise.composites import alternatives
from linnet.recognise.spans import Span, leftmost_longest
from linnet.recognise.words import Word

__all__ = ["listed_spans"]

_JOINS = re.compile(r"\s+(?:and|or|and/or)\s+$|/$|-\s+(?:and|or)\s+$")
_JOINED = re.compile(r"^\s+(?:and|or|and/or)\s+(?:the\s+)?")
_FIRST = re.compile(r"\w+")
_BEFORE = 6  # words looked at before a mention for the other parts of the list
_AFTER = 3
_START = attrgetter("start")
_READINGS = 4  # ways to split that are looked up


def listed_spans(
    text: str,
    words: Sequence[Word],
    spans: Sequence[Span],
    common_type: Callable[[Sequence[str]], str | None],
) -> list[Span]:
    """The spans, each grown over the list it ends or begins where every part of that list is a name.

    common_type  the type of the last of several texts when all are names, else None
    """
    grown = []
    ends = {span.end for span in spans}
    for span in spans:
        if _JOINS.search(text, max(0, span.start - 12), span.start):
            span = _leftwards(text, words, span, ends, common_type)
        elif " of " in text[span.start : span.end] and _JOINED.match(text[span.end : span.end + 16]):
            span = _rightwards(text, words, span, common_type)
        grown.append(span)
    return leftmost_longest(grown)


def _leftwards(
    text: str,
    words: Sequence[Word],
    span: Span,
    ends: set[int],
    common_type: Callable[[Sequence[str]], str | None],
) -> Span:
    place = bisect_left(words, span.start, key=_START)
    best = span
    for first in range(place - 1, max(-1, place - 1 - _BEFORE), -1):
        if words[first + 1].breaks:
            break
        if words[first].end in ends:
            break  # a name of its own: "asthma and ovarian cancer"
        if not words[first].edge:
            continue
        kind = _shared(text[words[first].start : span.end], common_type)
        if kind is not None:
            best = Span(words[first].start, span.end, kind)
    return best


def _rightwards(
    text: str, words: Sequence[Word], span: Span, common_type: Callable[[Sequence[str]], str | None]
) -> Span:
    place = bisect_left(words, span.end, key=_START)
    after = words[place : place + _AFTER + 2]
    best = span
    for number, word in enumerate(after):
        if number and word.breaks:
            break
        if number and word.edge and (kind := _shared(text[span.start : word.end], common_type)) is not None:
            best = Span(span.start, word.end, kind)
    return best


def _shared(text: str, common_type: Callable[[Sequence[str]], str | None]) -> str | None:
    """The type, when some way to split the text gives only names, and not all of them stand there as they are.

    A way that leaves out the first word, "get breast and ovarian cancer", says nothing for having it in the mention.
    """
    first = _FIRST.match(text)
    for parts in alternatives(text)[:_READINGS]:
        if all(part in text for part in parts) or (first and not parts[0].startswith(first.group())):
            continue
        kind = common_type(parts)
        if kind is not None:
            return kind
    return None
