"""Splitting of composite mentions, "breast and ovarian cancer", into names that can be looked up one by one.

Text alone does not show whether a mention is a composite: "nausea and vomiting" and "head and neck cancer" may be names.
`possible_splits` therefore returns all plausible splits, for the caller to look up. It uses neither a terminology nor gold
annotations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from linnet.read.disorder_words import (
    is_adjective,
    is_code,
    is_disorder,
    is_head,
    modifies,
    needs_head,
)
from linnet.read.divide.series import numbered_names
from linnet.read.doses import strip_doses
from linnet.read.rules import compiled

__all__ = ["possible_splits"]

Words = tuple[str, ...]

_MOST = 12  # splits returned; the plausible ones come first
_MAX_CHARACTERS = 200  # characters of a mention that is split
# Words of `lexicon/coordination.tsv`: an "and" that belongs to a name, or joins no list; between whole things; between items.
_FIXED = r"\b{coordination:name}\b"
_APART = r"\s+{coordination:apart}\s+|;\s+"
_LIST = r",?\s+{coordination:item}\s+|,\s+|\s+/\s+|(?<=[A-Za-z)])/(?=[A-Za-z])"
# Every split needs one of these; checked first, as it spares most texts the patterns above.
_JOINED = re.compile(
    r"[,;/+&]|\b(?:and|n?or|plus|vs\.?|versus|than|combin(?:ed|ation)|together|followed|as\s+well)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s+[(\[][^()\[\]]*[)\]](?=[\s,]|$)")
_PREPOSITION = frozenset({"of", "in", "to", "for", "from", "by", "with", "on"})
_PREFIX = r".[^-]*-(?=.)|{coordination:prefix}(?=.{3})"
_ARTICLE = frozenset({"the", "a", "an", "both", "either"})
# What stands for blanks and slashes of fixed phrases, so that no pattern splits them.
_GLUED, _UNGLUED = str.maketrans(" /", "\ue000\ue001"), str.maketrans("\ue000\ue001", " /")
_SERIES = re.compile(r"^(.*[A-Za-z]-?)(\d+)((?:\s?(?:/|,|and|or)\s?\d+)+)$")  # "BRCA1/2"


def possible_splits(text: str) -> list[list[str]]:
    """Plausible splits of a mention, likeliest first, each into two or more parts; [] if the mention is not a list, or longer
    than any would be.

    Parts are in text order, without doses, routes, and asides in brackets.
    """
    if len(text) > _MAX_CHARACTERS or not _JOINED.search(text):
        return []
    splits: dict[Words, None] = {}
    for split in _splits(" ".join(text.split())):
        parts = tuple(dict.fromkeys(part for part in map(_tidy, split) if part))
        if len(parts) > 1 and all(any(c.isalnum() for c in part) for part in parts):
            splits.setdefault(parts)
        if len(splits) == _MOST:
            break
    return [list(parts) for parts in splits]


def _splits(text: str) -> Iterator[Sequence[str]]:
    whole = compiled(_FIXED).sub(
        lambda fixed: fixed.group().translate(_GLUED), strip_doses(_ASIDE.sub("", text))
    )
    for split in _splits_of_list(whole):
        yield [part.translate(_UNGLUED) for part in split]


def _splits_of_list(text: str) -> Iterator[Sequence[str]]:
    apart = [part for part in compiled(_APART).split(text) if part.strip()]
    if len(apart) > 1:
        # The parts may be lists themselves: first each with its likeliest split, then whole.
        lists = [next(_splits_of_list(part), [part]) for part in apart]
        if any(len(parts) > 1 for parts in lists):
            yield list(chain.from_iterable(lists))
        yield apart
    if numbered := numbered_names(text):
        yield numbered
    if series := _SERIES.match(text):
        yield [series[1] + number for number in (series[2], *re.findall(r"\d+", series[3]))]
    items = [tuple(item.split()) for item in compiled(_LIST).split(text) if item.strip()]
    if len(items) > 1:
        yield from _completed(items)


def _completed(items: list[Words]) -> Iterator[Sequence[str]]:
    """The items of a list, as they are, and completed with the beginning of the first or the end of the last."""
    first, last = items[0], items[-1]
    unchanged = [" ".join(item) for item in items]
    ends = list(_with_shared_end(items))
    begins = list(_with_shared_begin(items))
    of_what = _preposition(first)
    hyphen = any(item[-1].endswith("-") for item in items[:-1])
    codes = all(is_code(item[-1]) for item in items) and len(last) == 1
    if hyphen:
        yield from _prefixed(items)
        ends = []
    elif codes and len(first) > 1:
        # "factor VIII and IX"
        yield from begins
    elif _preposition(last) is not None and len(first) == 1:
        # "aplasia or hypoplasia of the thymus"
        yield from ends
    elif of_what and _preposition(last) is None:
        # "cancer of the breast and ovary", "palsy of the left and right facial nerve"
        place = of_what + 1 + (first[of_what + 1].casefold() in _ARTICLE)
        lead, inner = first[:place], [first[place:], *items[1:]]
        if len(last) > 1 and inner[0] and modifies(inner[0][-1]):
            for parts in _with_shared_end(inner):
                yield [" ".join((*lead, part)) for part in parts]
        yield [" ".join((*lead, *item)) for item in inner]
        begins = []
    elif len(last) == 1 and len(first) > 1 and (is_code(last[0]) or is_head(last[0])):
        # "HCFCs 123 and 124", "endometrial hyperplasia or cancer"
        yield from begins
    elif len(last) > 1 and needs_head(first[-1]) and (modifies(first[-1]) or is_head(last[-1])):
        # "breast and ovarian cancer": "breast" alone is not a disorder
        yield from ends
        if modifies(first[-1]) and is_disorder(last[-1]):
            return
    yield unchanged
    yield from ends
    yield from begins


def _with_shared_end(items: list[Words]) -> Iterator[Sequence[str]]:
    """The end of the last item completes the others; the first word of the first item applies to it, to all, or to none."""
    *others, last = items
    lengths = list(range(1, min(len(last), 7)))
    if (place := _preposition(last)) is not None:
        lengths.sort(key=lambda length: length != len(last) - place)
    elif len(last) > 2 and is_adjective(last[-2]):
        lengths.sort(key=lambda length: length != 2)
    for length in lengths:
        end = last[-length:]
        full = [item if item[-1:] == end[-1:] else item + end for item in others]
        yield [" ".join(item) for item in (*full, last)]
        if length == lengths[0] and len(others[0]) > 1:
            lead = others[0][:1]
            led = (item if item[:1] == lead else lead + item for item in (*full[1:], last))
            yield [" ".join(item) for item in (full[0], *led)]
            yield [" ".join(item) for item in (full[0][1:], *full[1:], last)]


def _with_shared_begin(items: list[Words]) -> Iterator[Sequence[str]]:
    """The beginning of the first item completes the others: as much of it as they do not replace, or less."""
    first, *others = items
    longest = len(first) - 1
    lengths = sorted(
        range(1, longest + 1), key=lambda length: (length != max(1, len(first) - len(others[-1])), -length)
    )
    for length in lengths:
        yield [" ".join(first), *(" ".join(first[:length] + item) for item in others)]


def _prefixed(items: list[Words]) -> Iterator[Sequence[str]]:
    """ "hypo- and hyperthyroidism": a word of the last item, without its prefix, completes the others."""
    *others, last = items
    for position, word in enumerate(last):
        if prefix := compiled(_PREFIX).match(word):
            stem, rest = word[prefix.end() :], last[position + 1 :]
            full = [
                (*item[:-1], item[-1][:-1] + stem, *rest) if item[-1].endswith("-") else item
                for item in others
            ]
            yield [" ".join(item) for item in (*full, last)]
            return


def _preposition(item: Words) -> int | None:
    """Index of the last preposition inside an item."""
    places = [i for i in range(1, len(item) - 1) if item[i].casefold() in _PREPOSITION]
    return places[-1] if places else None


def _tidy(part: str) -> str:
    return strip_doses(" ".join(part.split()).strip(" ,;")).strip(" ,;") if part.strip(" ,;") else ""
