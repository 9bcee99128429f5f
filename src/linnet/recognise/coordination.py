"""Coordinations, "breast and ovarian cancer" and "hepatitis A, B and C", as one mention if each conjunct is a name."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter

from linnet.read.divide.series import enumeration_from, numbered_lists
from linnet.read.divide.shared_words import possible_splits
from linnet.recognise.spans import Span, leftmost_longest
from linnet.recognise.words import Word

__all__ = ["CommonType", "coordinated_spans"]

CommonType = Callable[[Sequence[str]], str | None]
"""The type of the last of several texts if all are names, else None."""

_JOINS = re.compile(r"\s+(?:and|or|and/or)\s+$|/$|-\s+(?:and|or)\s+$")
_JOINED = re.compile(r"^\s+(?:and|or|and/or)\s+(?:the\s+)?")
_FIRST = re.compile(r"\w+")
_BEFORE = 6  # words before a mention that may hold other conjuncts
_AFTER = 3
_KIND = "type "
_OMITTING, _OMITTED = "diabetes", " mellitus"  # not every terminology has "diabetes" alone
_SHARED = 5  # words at the end of a list that its names may share
_START = attrgetter("start")
_SPLITS = 4  # possible splits that are looked up


def coordinated_spans(
    text: str, words: Sequence[Word], spans: Sequence[Span], common_type: CommonType
) -> list[Span]:
    """The spans, each extended over the coordination that it ends or begins if all conjuncts are names."""
    extended = []
    ends = {span.end: span.type for span in spans}
    for span in spans:
        if _JOINS.search(text, max(0, span.start - 12), span.start):
            span = _extended_left(text, words, span, ends, common_type)
        elif " of " in text[span.start : span.end] and _JOINED.match(text[span.end : span.end + 16]):
            span = _extended_right(text, words, span, common_type)
        if listed := enumeration_from(text, span.start, span.end):
            type = common_type(listed.names)
            span = span if type is None else Span(span.start, listed.end, type)
        extended.append(span)
    extended += _numbered_spans(text, words, common_type)
    return leftmost_longest(extended)


def _numbered_spans(text: str, words: Sequence[Word], common_type: CommonType) -> list[Span]:
    """Lists of names that share their end, "type 1 and 2 diabetes", each with the longest end that makes all of them names.

    After "type", the end may be the name: terminologies call the types of one thing in many ways.
    """
    spans = []
    for listed in numbered_lists(text):
        first = last = bisect_left(words, listed.name, key=_START)
        if first < len(words) and not words[first].edge:
            continue
        while last < min(len(words), first + _SHARED) and not (last > first and words[last].breaks):
            last += 1
        for position in range(last - 1, first - 1, -1):
            name = text[listed.name : words[position].end]
            if not words[position].edge:
                continue
            if type := _numbered_type(listed.leads, name, common_type):
                spans.append(Span(listed.start, words[position].end, type))
                break
    return spans


def _numbered_type(leads: Sequence[str], name: str, common_type: CommonType) -> str | None:
    shared = [name, f"{name}{_OMITTED}"] if name.endswith(_OMITTING) else [name]
    lists = [[f"{lead} {end}" for lead in leads] for end in shared]
    if leads[0].casefold().startswith(_KIND):
        lists += [[end] for end in shared]
    return next((type for names in lists if (type := common_type(names))), None)


def _extended_left(
    text: str, words: Sequence[Word], span: Span, ends: Mapping[int, str], common_type: CommonType
) -> Span:
    position = bisect_left(words, span.start, key=_START)
    longest = span
    for first in range(position - 1, max(-1, position - 1 - _BEFORE), -1):
        if words[first + 1].breaks or ends.get(words[first].end) == span.type:
            break  # the word before ends a name of its own: "asthma and ovarian cancer", but not "ankle and wrist fractures"
        if words[first].edge:
            type = _coordination_type(text[words[first].start : span.end], common_type)
            if type is not None:
                longest = Span(words[first].start, span.end, type)
    return longest


def _extended_right(text: str, words: Sequence[Word], span: Span, common_type: CommonType) -> Span:
    position = bisect_left(words, span.end, key=_START)
    longest = span
    for word in words[position + 1 : position + _AFTER + 2]:
        if word.breaks:
            break
        if word.edge and (type := _coordination_type(text[span.start : word.end], common_type)) is not None:
            longest = Span(span.start, word.end, type)
    return longest


def _coordination_type(text: str, common_type: CommonType) -> str | None:
    """The type if some split of the text gives only names, and not all of them are written out in it.

    Splits that leave out the first word ("get breast and ovarian cancer") do not count: it would not belong to the mention.
    """
    first = _FIRST.match(text)
    for parts in possible_splits(text)[:_SPLITS]:
        if all(part in text for part in parts) or (first and not parts[0].startswith(first.group())):
            continue
        type = common_type(parts)
        if type is not None:
            return type
    return None
