"""Strings that name nothing in any terminology: "n/a", "see notes", "TBC", "12/03/2019". The words are in `lexicon/placeholders.tsv`."""

from __future__ import annotations

from functools import cache

from linnet.read.rules import Rules

__all__ = ["placeholder"]

_EDGE = " \t\n.,;:!?-–—_*()[]{}<>\"'/\\=~"


def placeholder(text: str) -> str:
    """The kind in `lexicon/placeholders.tsv` of a string that names nothing, whatever looks like it; "" for any other.

    >>> placeholder("see notes"), placeholder("03/2019"), placeholder("asthma")
    ('elsewhere', 'date', '')
    """
    whole, bare = text.strip(), " ".join(text.split()).strip(_EDGE)
    if not bare or (len(bare) > 2 and len(set(bare.lower())) == 1):  # one letter over and over
        return "signs"
    pattern = _placeholders().pattern(bare)
    for form in (bare, whole):
        if found := pattern.fullmatch(form):
            return _placeholders().rule(found).kind
    return ""


@cache
def _placeholders() -> Rules:
    return Rules("placeholders")
