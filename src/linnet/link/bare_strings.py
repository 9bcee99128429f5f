"""Strings without context, as the cells of a table: what each names, one thing or several, and in which form.

Every division of a string and every form of its parts (`linnet.link.readings`) is looked up; those that exact look-up leaves
open are searched for (`linnet.link.matches`). The reading of the highest value wins. Its value is the mean match of its parts,
each less what its form costs, less what dividing costs. A string that is literally a name is left as it is. Nothing is left out
that the closest name of the whole has too ("childhood", "type 42"), and nothing divided that such a name holds together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from linnet.link.matches import Lookup, Matches, Part
from linnet.link.readings import SURE_SHARE, divisions, says_nothing
from linnet.link.string_costs import COSTS, Costs, Kind
from linnet.read.non_answers import is_negated, is_non_answer
from linnet.read.shorthand import expansions, write_out_joined
from linnet.retrieve.exact import SCORES
from linnet.semantic_groups import Group
from linnet.types import Mention

__all__ = ["BareStrings", "Reading", "is_bare"]

_MOST_TEXTS = 400  # parts of a string that are looked up
_SHORT = 3  # letters of a placeholder that a name does not outweigh: "NA"
# Logistic curve from a reading's margin to the probability that its number of things is right. Fitted to composed strings, 98 % of
# whose divisions are right. The fitted offset was lowered by 1.3: half of the composed strings name several things, in tables fewer do.
_OFFSET, _SLOPE = 2.1, 0.7
# A code of a drug that the terminology lacks is like other codes, and none of them.
_CODE = re.compile(
    r"[A-Za-z]{1,6}[-\s]?\d{3,}[A-Za-z]?(?:\s+(?:tablets?|capsules?|injections?|infusions?|placebo))?"
)
_LOOKALIKE = 0.1
# For each part left out: 3 of the 5 tuning strings with one are right, at a mean probability of 0.86.
_LEFT_OUT = 0.7
_SEPARATE = frozenset({Kind.SEPARATE, Kind.DASHED})
_LISTS = frozenset({Kind.COMMAS, Kind.SIGNS, Kind.LIST})
_TYPED = _LISTS | {Kind.DASHED, Kind.ON}
_DISORDER = Group.DISEASE | Group.PHENOTYPE
_TREATMENT = Group.CHEMICAL | Group.PROTEIN


class Reading(NamedTuple):
    """A reading of a string.

    parts       the text to link for each thing that it names; empty: NIL
    left_out    what a division left out as no name of the terminology, though it says something
    value       the mean match of its parts, less the costs of their forms and of dividing; higher is better
    confidence  0 to 1: that it names these things and no others, if each is linked right
    margin      value less that of the best reading as another number of things: one, or several; infinite without one
    """

    parts: tuple[Part, ...]
    value: float
    confidence: float = 1.0
    margin: float = math.inf
    left_out: tuple[str, ...] = ()


def is_bare(mention: Mention) -> bool:
    """Whether a mention has no context: its document holds no other words."""
    text = mention.document.text
    return not any(map(str.isalnum, text[: mention.start])) and not any(map(str.isalnum, text[mention.end :]))


class BareStrings:
    """Reads strings without context. Not changed by use, but for a cache."""

    def __init__(self, lookup: Lookup, *, shorthand: bool, composites: bool, costs: Costs = COSTS) -> None:
        """
        shorthand   write out clinical short forms
        composites  divide strings
        """
        self._lookup, self._shorthand, self._composites, self._costs = lookup, shorthand, composites, costs

    def readings(self, texts: Sequence[str]) -> list[Reading]:
        """The best reading of each text."""
        distinct = list(dict.fromkeys(texts))
        results: dict[str, Reading] = {}
        left = []
        for text, score in zip(distinct, self._lookup.exact(distinct), strict=True):
            if score >= SCORES["fold"] and self._stays(text):
                results[text] = Reading((Part(text, score),), score)
            elif is_non_answer(text):
                results[text] = Reading((), 0.0)
            else:
                left.append(text)
        if left:
            results |= self._read(left)
        return [results[text] for text in texts]

    def _stays(self, text: str) -> bool:
        """Whether a text that is a name is not read as a placeholder, or as a short form that is far commoner."""
        if is_non_answer(text):
            return sum(map(str.isalpha, text)) > _SHORT
        if not self._shorthand or len(text) > 12:
            return True
        long = next((e for e in expansions(text) if e.whole and e.share >= SURE_SHARE), None)
        if long is None or self._lookup.is_preferred(text):
            return True
        return self._lookup.exact([long.text])[0] < SCORES["simplify"]

    def _read(self, texts: Sequence[str]) -> dict[str, Reading]:
        """The best reading of each text."""
        trees = {
            text: _Tree.of(
                write_out_joined(text) if self._shorthand else text,
                composites=self._composites,
                shorthand=self._shorthand,
            )
            for text in texts
        }
        parts = list(dict.fromkeys(part for tree in trees.values() for part in tree.parts()))
        matches = Matches(self._lookup, shorthand=self._shorthand, costs=self._costs)
        matches.look_up(parts)
        matches.search_for(part for tree in trees.values() for part in tree.to_search(matches))
        matches.find_closest(text for tree in trees.values() for text in tree.divided())
        matches.keep_what_names_have(parts)
        matches.find_groups(part for tree in trees.values() for part in tree.typed(matches, self._costs))
        return {text: self._best_reading(text, tree, matches) for text, tree in trees.items()}

    def _best_reading(self, text: str, tree: _Tree, matches: Matches) -> Reading:
        if "\n" not in text and (is_negated(text) or matches.denies(tree.text)):
            return Reading((), 0.0)
        costs = self._costs
        whole = matches.part(tree.text)
        ways = list(tree.ways(matches, costs))
        best = _best(whole, ways)
        value = best.value
        least = costs.nil if best.parts == [whole] else min(costs.nil, costs.least)
        chosen = [part for part in best.parts if part.value >= least]
        left_out = (
            (
                *best.left_out,
                *(part.text for part in best.parts if part.value < least),
                *tree.unread(best, matches),
            )
            if chosen
            else ()
        )
        distinct = tuple({part.text: part for part in chosen}.values())
        margin = math.inf
        if len(distinct) > 1:
            margin = value - whole.value
        elif chosen and (rivals := [way.value for way in ways if len(way.parts) > 1]):
            margin = value - max(rivals)
        confidence = math.prod(part.share for part in chosen) / (1 + math.exp(-(_OFFSET + _SLOPE * margin)))
        if any(not part.is_name and _CODE.fullmatch(part.text) for part in chosen):
            confidence *= _LOOKALIKE
        confidence *= _LEFT_OUT ** len(left_out)
        return Reading(distinct, value, confidence, margin, left_out)


class _Way(NamedTuple):
    """The parts of a text read in one way, their value, the items that it leaves out, and the kind of its division."""

    parts: list[Part]
    value: float
    left_out: tuple[str, ...] = ()
    kind: Kind | None = None


def _best(whole: Part, ways: Sequence[_Way]) -> _Way:
    """The whole, or the best of the ways to divide it; the first among equals."""
    return max([_Way([whole], whole.value), *ways], key=lambda way: way.value)


class _Tree(NamedTuple):
    """A text with its divisions, and those of their items."""

    text: str
    divisions: tuple[tuple[Kind, tuple[_Tree, ...]], ...]

    @classmethod
    def of(cls, text: str, *, composites: bool, shorthand: bool) -> _Tree:
        count = 0

        def grown(part: str, depth: int) -> _Tree:
            nonlocal count
            count += 1
            ways = (
                divisions(part, depth=depth, shorthand=shorthand)
                if composites and count < _MOST_TEXTS
                else ()
            )
            return cls(
                part, tuple((way.kind, tuple(node(item, depth + 1) for item in way.items)) for way in ways)
            )

        node = lru_cache(maxsize=None)(grown)
        # Read as one thing, a string's lines are those of one name.
        return node(text, 0)._replace(text=" ".join(text.split()))

    def parts(self) -> Iterator[str]:
        """All texts in the tree that may name a thing."""
        yield self.text
        for _, items in self.divisions:
            for item in items:
                yield from item.parts()

    def divided(self) -> Iterator[str]:
        """The texts in the tree that may be divided other than by separators."""
        for kind, items in self.divisions:
            if kind not in _SEPARATE:
                yield self.text
            for item in items:
                yield from item.divided()

    def to_search(self, matches: Matches) -> Iterator[str]:
        """The texts to search for: the whole, and items that are no name beside items that are."""
        yield self.text
        for kind, items in self.divisions:
            named = [matches.is_name(item.text) or _is_silent(item.text, matches) for item in items]
            if kind in _SEPARATE or any(named):
                for item in items:
                    yield from item.to_search(matches)

    def typed(self, matches: Matches, costs: Costs) -> Iterator[Part]:
        """The parts whose semantic groups `_divided` may ask for."""
        for kind, items in self.divisions:
            for item in items:
                if kind in _TYPED:
                    for text in item.parts():
                        if (part := matches.part(text)).value >= costs.least:
                            yield part
                yield from item.typed(matches, costs)

    def unread(self, best: _Way, matches: Matches) -> list[str]:
        """The separate items that the best way does not account for: undivided, things of which the closest name has no word;
        divided, what names nothing alone, but is a word of that name ("Trisomy⏎15")."""
        separate = next((items for kind, items in self.divisions if kind in _SEPARATE), ())
        divided = best.kind in _SEPARATE
        if not separate or (not divided and matches.is_name(self.text)):
            return []
        read = [self.text] if divided else [part.text for part in best.parts]
        matches.find_closest(read)
        return [
            item.text
            for item in separate
            if not is_negated(item.text) and not matches.denies(item.text)
            if _is_silent(item.text, matches) == divided
            if matches.closest_have_word_of(item.text, read) == divided
        ]

    def best(self, matches: Matches, costs: Costs) -> _Way:
        """The best way to read the text."""
        return _best(matches.part(self.text), list(self.ways(matches, costs)))

    def ways(self, matches: Matches, costs: Costs) -> Iterator[_Way]:
        """The ways to divide the text that are possible, each with the best readings of its items."""
        for kind, items in self.divisions:
            if kind not in _SEPARATE and matches.holds_together(self.text, [item.text for item in items]):
                continue
            found = {
                item.text: item.best(matches, costs) for item in items if not _is_silent(item.text, matches)
            }
            way = _divided(kind, found, matches, costs)
            if way is not None:
                yield way


def _is_silent(item: str, matches: Matches) -> bool:
    """Whether an item of a division names nothing that could be linked."""
    return says_nothing(item) or matches.denies(item)


def _divided(kind: Kind, found: Mapping[str, _Way], matches: Matches, costs: Costs) -> _Way | None:
    """The way of a division with these readings of its items, by their texts; None if they match too badly."""
    named = {text: all(part.is_name for part in way.parts) for text, way in found.items()}
    if kind is Kind.COMMAS:
        left_out = [text for text in found if not named[text]]
    elif kind in _SEPARATE:
        left_out = [text for text, way in found.items() if way.value < costs.least]
    else:
        left_out = []
        if any(part.value < costs.least for way in found.values() for part in way.parts):
            return None
        if kind is Kind.SERIES and not all(named.values()):
            return None
    aside, missing = (0.0, len(left_out)) if kind in _SEPARATE else (costs.aside * len(left_out), 0)
    kept = [way for text, way in found.items() if text not in left_out]
    if not kept:
        return None
    left_out += [text for way in kept for text in way.left_out]
    parts = [part for way in kept for part in way.parts]
    total, count = sum(way.value for way in kept) + missing * costs.least, len(kept) + missing
    if kind is Kind.DASHED:
        parts = _without_treatment(parts, matches)
    elif kind is Kind.ON and not all(groups & _DISORDER for groups in matches.groups(parts)):
        return None
    if len(found) == 1:
        return _Way(parts, total - costs.word, tuple(left_out), kind)
    cost = aside if count == 1 else costs.of(kind) + aside
    mixed = kind in _LISTS and _is_mixed(matches.groups(parts))
    if mixed:
        if kind is Kind.COMMAS:
            return None
        cost += costs.mixed
    if count > 1 and all(part.is_name for part in parts):
        apart = kind in _LISTS and not mixed and not matches.is_one_thing(parts)
        cost = costs.listed + aside if apart else cost - costs.named
    return _Way(parts, total / count - cost, tuple(left_out), kind)


def _is_mixed(groups: Sequence[int]) -> bool:
    """Whether at least two things certainly have no semantic group in common."""
    return any(not a & b for a, b in combinations(filter(None, groups), 2))


def _without_treatment(parts: list[Part], matches: Matches) -> list[Part]:
    """Without what a disease is treated with: "HTN - lisinopril"."""
    first, *others = matches.groups(parts)
    if not first & _DISORDER:
        return parts
    is_treatment = [bool(group) and not group & ~_TREATMENT for group in others]
    return [parts[0], *(part for part, leave in zip(parts[1:], is_treatment, strict=True) if not leave)]
