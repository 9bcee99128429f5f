"""The readings of a string without context: the things it may name, and each of them without what is not its name.

"R knee OA; h/o breast and ovarian cancer"
    division   "R knee OA" | "breast cancer" | "ovarian cancer", "R knee OA" | "h/o breast and ovarian cancer" …
    form       "R knee OA" → "knee OA" → "knee osteoarthritis" …
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from linnet.link.string_costs import Kind
from linnet.read.chemical_symbols import chemical_name
from linnet.read.composites import possible_splits
from linnet.read.enumerations import is_enumeration
from linnet.read.non_answers import is_negated, is_non_answer
from linnet.read.qualifiers import is_only_qualifiers, without_qualifiers
from linnet.read.shorthand import expansions
from linnet.read.string_lists import (
    caused_items,
    comma_items,
    is_dashed,
    is_separated,
    joined_items,
    separate_items,
)

__all__ = ["SURE_SHARE", "Division", "Form", "divisions", "forms", "says_nothing"]

_SPLITS = 5  # of a coordination
_JOINTS = 4  # of a text at which it is divided
_DEEPEST = 2
_CACHED = 20_000
SURE_SHARE = 0.95
"""From this share on, the reading of a short form comes before a synonym that is written like the short form."""
_SURE = 0.9  # share of the short forms that are written out before a text is divided
_PLACEBO = re.compile(r"\bplacebos?\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\b(type|stage|grade|class|phase)([0-9])", re.IGNORECASE)
_AMPERSAND = re.compile(r"\s+&\s+")
_JOINED = frozenset(
    {
        "with",
        "w/",
        "with/",
        "and",
        "or",
        "plus",
        "&",
        "+",
        "and/or",
        "and / or",
        "vs",
        "vs.",
        "versus",
        "c",
        "c̄",
    }
)
# What follows says how the thing is treated, or explains it.
_ASIDE = frozenset(
    {"on", "(", "treated with", "receiving", "on treatment with", "not treated with", "not on"}
)
_ABSENT = frozenset({"without", "w/o"})


class Form(NamedTuple):
    """A text to look up for a thing.

    marks, words  what was left out, see `linnet.read.qualifiers.Bare`
    share         how often its short forms are read so; 1 without short forms
    is_guess      whether it counts only if it is a name: the word for a chemical symbol
    is_short      whether it is a short form that nearly always has one reading
    is_synonym    whether a lay, brand or foreign name was replaced, and no short form
    """

    text: str
    marks: bool = False
    words: float = 0
    share: float = 1.0
    is_guess: bool = False
    is_short: bool = False
    is_synonym: bool = False


class Division(NamedTuple):
    """A way to divide a text into parts, in text order."""

    kind: Kind
    items: tuple[str, ...]


@lru_cache(maxsize=_CACHED)
def forms(text: str, *, shorthand: bool) -> tuple[Form, ...]:
    """The forms of a text that names one thing, itself first; each text once.

    shorthand  also with clinical short forms written out
    """
    spaced = _NUMBERED.sub(r"\1 \2", text)
    found: dict[str, Form] = {} if spaced == text else {text: Form(text)}
    for bare in without_qualifiers(spaced):
        written_out = expansions(bare.text) if shorthand else []
        is_short = any(each.whole and each.share >= SURE_SHARE for each in written_out)
        found.setdefault(bare.text, Form(*bare[:3], is_short=is_short))
        if symbol := chemical_name(bare.text):
            found.setdefault(symbol, Form(symbol, bare.marks, bare.words, is_guess=True))
        for expansion in written_out:
            form = Form(
                expansion.text, bare.marks, bare.words, expansion.share, is_synonym=expansion.is_synonym
            )
            found.setdefault(expansion.text, form)
            found.setdefault(_turned(expansion.text), form._replace(text=_turned(expansion.text)))
    if _PLACEBO.search(text):
        found.setdefault("placebo", Form("placebo", words=0.5))
    return tuple(found.values())


@lru_cache(maxsize=_CACHED)
def divisions(text: str, *, depth: int = 0, shorthand: bool = False) -> tuple[Division, ...]:
    """The ways to divide a text into two or more things; items may be divided further at `depth + 1`.

    shorthand  also with sure short forms written out, so that words can be shared: "bladder & prostate ca"
    """
    return tuple(_divisions(text, depth, shorthand))


def _divisions(text: str, depth: int, shorthand: bool) -> Iterator[Division]:
    if depth == 0:
        items = separate_items(text)
        if len(items) > 1:
            yield Division(_kind_of_separators(text), tuple(items))
            return
    if depth < _DEEPEST:
        yield from _lists(text, shorthand)
    if depth <= _DEEPEST:
        for place, (before, joint, after) in enumerate(joined_items(text)):
            if place == _JOINTS:
                break
            if joint in _ASIDE:
                yield Division(Kind.JOINED, (before,))
                if joint == "on":
                    yield Division(Kind.ON, (before, after))
            elif joint in _ABSENT:
                yield Division(Kind.JOINED, (before, f"no {after}"))
            else:
                yield Division(Kind.JOINED if joint in _JOINED else Kind.RELATED, (before, after))
        if caused := caused_items(text):
            yield Division(Kind.RELATED, caused)


def _kind_of_separators(text: str) -> Kind:
    if not is_separated(text):
        return Kind.LIST
    return Kind.DASHED if is_dashed(text) else Kind.SEPARATE


def _lists(text: str, shorthand: bool) -> Iterator[Division]:
    if len(items := comma_items(text)) > 1:
        yield Division(Kind.COMMAS, tuple(items))
    versions = [text]
    if shorthand:
        versions += [each.text for each in expansions(text)[:1] if each.share >= _SURE and not each.whole]
    for version in versions:
        if is_enumeration(version) and (series := possible_splits(version)[:1]):
            yield Division(Kind.SERIES, tuple(series[0]))
        for parts in possible_splits(_AMPERSAND.sub(" and ", version))[:_SPLITS]:
            if not all(part in version for part in parts):
                yield Division(Kind.SHARE, tuple(parts))
            elif version is text:
                yield Division(Kind.SIGNS if _is_joined_by_signs(text, parts) else Kind.LIST, tuple(parts))


def _is_joined_by_signs(text: str, parts: Sequence[str]) -> bool:
    for part in parts:
        text = text.replace(part, "", 1)
    return bool(text.strip()) and not set(text) - set("/+& ")


def says_nothing(item: str) -> bool:
    """Whether an item of a division names nothing that could be linked: "stable", "see notes", "no fever"."""
    return is_non_answer(item) or is_negated(item) or is_only_qualifiers(item)


def _turned(text: str) -> str:
    """ "cancer breast" → "breast cancer": a short form often comes before what it is about."""
    first, _, rest = text.partition(" ")
    return f"{rest} {first}" if first.casefold() == "cancer" and rest else text
