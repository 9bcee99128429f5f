"""Words that describe a case and not the thing: "?recurrent L knee OA, stage 3 (2019)" → "knee OA".

Whether a name has such a word ("acute myeloid leukemia") only a terminology shows. `without_qualifiers` therefore returns
the text with all, some and none of them, for the caller to look up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from itertools import chain, combinations
from typing import NamedTuple

from linnet.read.doses import strip_doses
from linnet.read.rules import Rule, Rules, compiled
from linnet.words.text import key

__all__ = ["Bare", "Relation", "has_further_words", "is_only_qualifiers", "relation", "without_qualifiers"]

_MOST = 3  # descriptive words that are left out in all combinations; more only together
_MAX_CHARACTERS = 300
_CACHED = 20_000

_MARKS = {
    "word": r"(?<!\w)(?:%s)(?!\w)",
    "brackets": r"[\[(]\s*(?:%s)\s*[\])]",
    "heading": r"(?<!\w)(?:%s)\s*[:=-]\s*",
    "behind": r"(?<=\w)\s+(?:%s)(?=[\s,;)]|$)",
    "end": r"[\s,–-]+(?:%s)\s*$",
    "free": "%s",
}
_WORDS = {"": r"(?<![\w-])(?:%s)(?![\w-])"}
# Where it is: a side and up to two words at the end.
_PLACE = re.compile(
    r"(?<=\w)[\s,]+(?:(?:of|in|to|on|at)\s+)?(?:the\s+)?(?:L|R|left|right|bilateral|lt|rt)\s+[a-z]+(?:\s+[a-z]+)?\s*(?=$|,)"
)
_BEFORE = " \t\n,;:.-–—/+&|=*"
_AFTER = re.compile(r"(?:[\s,;:.–—/&|=*]|(?<![\w+-])[-+])+$")
_LOOSE_START = r"^(?:{lists:little}|due\s+to)\s+(?=\S)"
_LOOSE_END = r"\s+(?:{lists:little}|due)$"
_HERE = Rule("place", 1)
_DOSE = Rule("dose", 1)


class Relation(IntEnum):
    """What a text is to the same text without its qualifiers."""

    SAME = 0
    """The same thing: "known asthma", "asthma, unspecified"."""
    NARROWER = 1
    """The same thing in more detail: "severe asthma"."""
    OTHER = 2
    """Another thing, or the same one for somebody else, in the past or in doubt: "family history of asthma", "?asthma"."""


class Bare(NamedTuple):
    """A text without some of its qualifiers.

    marks     whether marks of a record (codes, dates, "h/o", "?", doses) were left out
    words     number of descriptive words ("severe", "recurrent") left out, each with the weight of its row in `qualifier_words.tsv`
    kinds     the distinct kinds of all that was left out, in alphabetical order, as the tables name them; "place" for "of the left arm"
    relation  what the text with them is to this one
    """

    text: str
    marks: bool
    words: float
    kinds: tuple[str, ...] = ()
    relation: Relation = Relation.SAME


@lru_cache(maxsize=_CACHED)
def without_qualifiers(text: str) -> tuple[Bare, ...]:
    """The text as it is, then with ever more of its qualifiers left out; each text once. Nothing is left out of a text that
    would be empty."""
    text = " ".join(text.split())
    results = {text: Bare(text, False, 0)}
    if len(text) > _MAX_CHARACTERS:
        return tuple(results.values())
    bare, marks = _without_marks(text)
    marked = bare != text and _has_word(bare)
    if not marked:
        bare, marks = text, frozenset()

    def add(rest: str, words: Sequence[Rule]) -> None:
        if _has_word(rest):
            rules = marks.union(words)
            kinds = tuple(sorted({rule.kind for rule in rules}))
            weight = sum(rule.weight for rule in words)
            results.setdefault(
                rest, Bare(rest, marked, weight, kinds, max(map(_relation, rules), default=Relation.SAME))
            )

    add(bare, ())
    words = _words_in(bare)
    counts = range(1, len(words) + 1) if len(words) <= _MOST else [1, len(words)]
    for left_out in chain.from_iterable(combinations(words, count) for count in counts):
        add(_tidy(_cut(bare, [span for span, _ in left_out])), [rule for _, rule in left_out])
    here = _tidy(_PLACE.sub("", bare))
    if here != bare:
        inside = _words_in(here)
        add(here, [_HERE])
        add(_tidy(_cut(here, [span for span, _ in inside])), [_HERE, *(rule for _, rule in inside)])
    return tuple(results.values())


def relation(text: str, names: Iterable[str]) -> Relation:
    """What a text is to a concept with these names: nothing counts as left out that the names have.

    >>> relation("family history of gout", ["gout"])
    <Relation.OTHER: 2>
    >>> relation("acute gout", ["gout", "acute gouty arthritis"])
    <Relation.SAME: 0>
    """
    of_text, of_names = _stems(text), frozenset().union(*map(_stems, names))
    return max(
        bare.relation
        for bare in without_qualifiers(text)
        if (of_text - _stems(bare.text)).isdisjoint(of_names)
    )


def has_further_words(text: str, names: Iterable[str]) -> bool:
    """Whether a text has words that none of these names has, apart from qualifiers that change nothing."""
    of_names = frozenset().union(*map(_stems, names))
    bare = (bare.text for bare in without_qualifiers(text) if bare.relation is Relation.SAME)
    return all(_stems(text) - of_names for text in bare)


@lru_cache(maxsize=_CACHED)
def is_only_qualifiers(text: str) -> bool:
    """Whether nothing is left of a text without its qualifiers: "stage 3", "stable", "2019", "L"."""
    if len(text) > _MAX_CHARACTERS:
        return False
    bare, _ = _without_marks(" ".join(text.split()))
    bare = _words().pattern(bare).sub(" ", bare)
    bare = compiled(r"(?<!\w)(?-i:{lists:alone})(?!\w)").sub(" ", bare)
    return not any(c.isalpha() for c in bare)


@cache
def _marks() -> Rules:
    return Rules("qualifier_marks", _MARKS)


@cache
def _words() -> Rules:
    return Rules("qualifier_words", _WORDS)


def _relation(rule: Rule) -> Relation:
    return {"same": Relation.SAME, "other": Relation.OTHER}.get(rule.relation, Relation.NARROWER)


def _stems(text: str) -> frozenset[str]:
    return frozenset(key(text).split())


def _words_in(text: str) -> list[tuple[tuple[int, int], Rule]]:
    words = _words()
    return [(match.span(), words.rule(match)) for match in words.pattern(text).finditer(text)]


@lru_cache(maxsize=_CACHED)
def _without_marks(text: str) -> tuple[str, frozenset[Rule]]:
    """Without marks of a record, until no more are found, and their rules: "?known case of" goes in two steps."""
    rules: set[Rule] = set()

    def leave_out(match: re.Match[str]) -> str:
        rules.add(marks.rule(match))
        return " "

    marks = _marks()
    for _ in range(4):
        before = text
        text, found = marks.pattern(text).subn(leave_out, text)
        text = _tidy(text)
        bare = _without_doses(text)
        if bare != text:
            rules.add(_DOSE)
        text = _tidy(bare)
        if text == before or not found:
            break
    return text, frozenset(rules)


def _without_doses(text: str) -> str:
    edge = " ,;:-–"
    bare = strip_doses(text)
    return bare if bare.strip(edge) != text.strip(edge) else text


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts, end = [], 0
    for start, stop in spans:
        parts.append(text[end:start])
        end = stop
    return " ".join([*parts, text[end:]])


def _tidy(text: str) -> str:
    text = re.sub(r"[(\[{]\s*[)\]}]", " ", text)
    text = re.sub(r"\s+([,;)])", r"\1", " ".join(text.split()))
    text = _stripped(text)
    if text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = _stripped(text[1:-1])
    start, end = compiled(_LOOSE_START), compiled(_LOOSE_END)
    for _ in range(3):
        before = text
        text = _stripped(end.sub("", start.sub("", text)))
        if text == before:
            break
    return text


def _stripped(text: str) -> str:
    return _AFTER.sub("", text.lstrip(_BEFORE))


def _has_word(text: str) -> bool:
    return sum(c.isalpha() for c in text) > 1
