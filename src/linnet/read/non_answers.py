"""Strings that name nothing: placeholders, notes, numbers, dates, addresses. "n/a", "see notes", "TBC", "12/03/2019"; and strings
that say that something is not there. The words are in `lexicon/placeholders.tsv` and `denials.tsv`.
"""

from __future__ import annotations

import re
from functools import cache

from linnet.read.denials import words_of_denial
from linnet.read.rules import Rules

__all__ = ["is_negated", "is_non_answer", "kind_of_placeholder"]

_EDGE = " \t\n.,;:!?-–—_*()[]{}<>\"'/\\=~"
# "Pt denies", "the patient has no"; "no-reflow" and "no. 3" deny nothing.
_SUBJECT = r"(?:(?:the\s+)?(?:pts?\.?|patients?|he|she|they)\s+(?:(?:has|have|had|with|is|was|reports?|reported)\s+)?)?"
_NOT_DENIED = r"(?!no\s*[-.]?\s*(?:reflow|\d))"


def is_non_answer(text: str) -> bool:
    """Whether a string names nothing in any terminology, whatever looks like it.

    >>> is_non_answer("see notes"), is_non_answer("03/2019"), is_non_answer("asthma")
    (True, True, False)
    """
    return bool(kind_of_placeholder(text))


def kind_of_placeholder(text: str) -> str:
    """The kind in `lexicon/placeholders.tsv` of a string that names nothing, "" for any other."""
    whole, bare = text.strip(), " ".join(text.split()).strip(_EDGE)
    if not bare or (len(bare) > 2 and len(set(bare.lower())) == 1):  # one letter over and over
        return "signs"
    pattern = _placeholders().pattern(bare)
    for form in (bare, whole):
        if found := pattern.fullmatch(form):
            return _placeholders().rule(found).kind
    return ""


def is_negated(text: str) -> bool:
    """Whether a string says that something is not there: "no fever", "denies chest pain"."""
    return bool(_negated().match(text.strip()))


@cache
def _placeholders() -> Rules:
    return Rules("placeholders")


@cache
def _negated() -> re.Pattern[str]:
    return re.compile(rf"{_SUBJECT}{_NOT_DENIED}(?:{words_of_denial('start')})\s+\S", re.IGNORECASE)
