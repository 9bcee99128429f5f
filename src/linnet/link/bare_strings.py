"""Strings without context, as the cells of a table: what each names, one thing or several, and in which form.

Every division of a string and every form of its parts (`linnet.link.readings`) is looked up; those that exact look-up leaves
open are searched for. The reading of the highest value wins. Its value is the mean match of its parts, each less what its
form costs, less what dividing costs. A string that is literally a name is left as it is. Nothing is left out that the closest
name of the whole has too ("childhood", "type 42"), and nothing divided that such a name holds together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from linnet.link.readings import SURE_SHARE, Division, Form, divisions, forms, says_nothing
from linnet.recognise.non_answers import is_negated, is_non_answer
from linnet.recognise.shorthand import expansions, write_out_joined
from linnet.retrieve.exact import SCORES
from linnet.text import LITTLE, key, simplify
from linnet.types import Mention

__all__ = ["COSTS", "BareStrings", "Costs", "Part", "Reading", "is_bare"]

_LITERAL = 0.05  # cost of a short form that is a name, but hardly ever meant as that name
_SEARCHED = 3  # forms of a part that are searched for if none is a name
_MOST_TEXTS = 400  # parts of a string that are looked up
_CLOSE = 0.6  # score from which on the closest name says something about the words of a text
_SHORT = 3  # letters of a placeholder that a name does not outweigh: "NA"


class Costs(NamedTuple):
    """What a reading's value is reduced by.

    Begun from costs that `experiments/string_costs.py` chose on strings composed from the names of HPO, MEDIC and MeSH, then set by
    hand on names held out of HPO and MEDIC, so that a name that a terminology lacks is seldom divided or shortened.

    marks      a code, date, dose or other mark left out
    word       each descriptive word left out
    shorthand  a short form written out, times how often it is read otherwise, on top of `marks`
    respelt    corrected spelling
    fuzzy      a part that is not a name
    separate, list, share, with_, relation   a division of this kind
    named      less for a division into names only
    least      parts of a division match at least so well; others of separate items are left out, at this match
    nil        what matches less well is NIL
    """

    marks: float = 0.01
    word: float = 0.15
    shorthand: float = 0.3
    respelt: float = 0.06
    fuzzy: float = 0.0
    separate: float = 0.0
    list: float = 0.25
    share: float = 0.2
    with_: float = 0.1
    relation: float = 0.25
    named: float = 0.05
    least: float = 0.6
    nil: float = 0.5


COSTS = Costs()
# Of how sure the number of things is, by how much the value is above that of another number. Fitted to composed strings, 98 % of
# whose divisions are right, with the offset less by 1.3: half of them name several things, in tables fewer do.
_OFFSET, _SLOPE = 2.1, 0.7


class Reading(NamedTuple):
    """A reading of a string.

    parts       the text to link for each thing that it names; empty: NIL
    value       see the module
    confidence  0 to 1: that it names these things and no others, if each is linked right
    margin      value less that of the best reading as another number of things: one, or several; infinite without one
    """

    parts: tuple[Part, ...]
    value: float
    confidence: float = 1.0
    margin: float = math.inf


class Part(NamedTuple):
    """The best form of a text that names one thing.

    value    how well it matches, less its costs
    share    see `Form`
    respelt  whether its spelling was corrected
    is_name  whether it is a name
    """

    text: str
    value: float
    share: float = 1.0
    respelt: bool = False
    is_name: bool = False


def is_bare(mention: Mention) -> bool:
    """Whether a mention has no context: its document holds only its text."""
    return mention.end - mention.start >= len(mention.document.text.strip())


class BareStrings:
    """Reads strings without context. Not changed by use, but for a cache."""

    def __init__(
        self,
        exact: Callable[[Sequence[str]], Sequence[float]],
        best: Callable[[Sequence[str]], Sequence[float]],
        respelt: Callable[[str], str | None],
        *,
        shorthand: bool,
        composites: bool,
        is_preferred: Callable[[str], bool] = lambda text: False,
        closest: Callable[[Sequence[str]], Sequence[str]] = lambda texts: [""] * len(texts),
        costs: Costs = COSTS,
    ) -> None:
        """
        exact         scores of the best exact match of N texts, 0 without one
        best          scores of the best candidate of N texts, −inf without one
        closest       name by which the best candidate of N texts was found, "" without one
        respelt       a text with misspelt words corrected, or None
        shorthand     write out clinical short forms
        composites    divide strings
        is_preferred  whether a text that is a name is the preferred name of its concept
        """
        self._exact, self._best, self._respelt, self._is_preferred = exact, best, respelt, is_preferred
        self._shorthand, self._composites, self._costs = shorthand, composites, costs
        self._closest = closest

    def readings(self, texts: Sequence[str]) -> list[Reading]:
        """The best reading of each text."""
        distinct = list(dict.fromkeys(texts))
        results: dict[str, Reading] = {}
        left = []
        for text, score in zip(distinct, self._exact(distinct), strict=True):
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
        if long is None or self._is_preferred(text):
            return True
        return self._exact([long.text])[0] < SCORES["simplify"]

    def _read(self, texts: Sequence[str]) -> dict[str, Reading]:
        trees = {
            text: _Tree.of(write_out_joined(text) if self._shorthand else text, self._composites)
            for text in texts
        }
        parts = list(dict.fromkeys(part for tree in trees.values() for part in tree.parts()))
        known = _Matches(
            self._exact,
            self._best,
            self._closest,
            self._respelt,
            self._shorthand,
            self._costs,
            self._is_preferred,
        )
        known.look_up(parts)
        known.search_for(part for tree in trees.values() for part in tree.to_search(known))
        known.find_closest(text for tree in trees.values() for text in tree.divided())
        known.keep_what_names_have(parts)
        return {text: self._best_reading(text, tree, known) for text, tree in trees.items()}

    def _best_reading(self, text: str, tree: _Tree, known: _Matches) -> Reading:
        if is_negated(text):
            return Reading((), 0.0)
        costs = self._costs
        whole = known.part(tree.text)
        found, value = tree.best(known, costs)
        if len(found) > 1 or (found and found[0] != whole):
            chosen = [part for part in found if part.value >= min(costs.nil, costs.least)]
        else:
            chosen, value = ([whole] if whole.value >= costs.nil else []), whole.value
        distinct = tuple({part.text: part for part in chosen}.values())
        margin = math.inf
        if len(distinct) > 1:
            margin = value - whole.value
        elif chosen and (rival := tree.rival(known, costs)) is not None:
            margin = value - rival
        confidence = math.prod(part.share for part in chosen) / (1 + math.exp(-(_OFFSET + _SLOPE * margin)))
        return Reading(distinct, value, confidence, margin)


class _Tree(NamedTuple):
    """A text with its divisions, and those of their items."""

    text: str
    divisions: tuple[tuple[str, tuple[_Tree, ...]], ...]

    @classmethod
    def of(cls, text: str, composites: bool) -> _Tree:
        count = 0

        def grown(part: str, depth: int) -> _Tree:
            nonlocal count
            count += 1
            ways: Sequence[Division] = (
                divisions(part, depth=depth) if composites and count < _MOST_TEXTS else ()
            )
            grown_ways = []
            for way in ways:
                grown_ways.append((way.kind, tuple(node(item, depth + 1) for item in way.items)))
            return cls(part, tuple(grown_ways))

        node = lru_cache(maxsize=None)(grown)
        return node(" ".join(text.split("\t")), 0)

    def parts(self) -> Iterator[str]:
        """All texts in the tree that may name a thing."""
        yield self.text
        for _, items in self.divisions:
            for item in items:
                yield from item.parts()

    def divided(self) -> Iterator[str]:
        """The texts in the tree that may be divided other than by separators."""
        for kind, items in self.divisions:
            if kind != "separate":
                yield self.text
            for item in items:
                yield from item.divided()

    def to_search(self, known: _Matches) -> Iterator[str]:
        """The texts to search for: the whole, and items that are no name beside items that are."""
        yield self.text
        for kind, items in self.divisions:
            named = [known.is_name(item.text) or says_nothing(item.text) for item in items]
            if kind == "separate" or any(named):
                for item in items:
                    yield from item.to_search(known)

    def best(self, known: _Matches, costs: Costs) -> tuple[list[Part], float]:
        """The parts of the best reading, and its value."""
        whole = known.part(self.text)
        best, value = [whole], whole.value
        for parts, divided in self._divided(known, costs):
            if divided > value:
                best, value = parts, divided
        return best, value

    def rival(self, known: _Matches, costs: Costs) -> float | None:
        """The value of the best division into several things; None without one."""
        return max((value for parts, value in self._divided(known, costs) if len(parts) > 1), default=None)

    def _divided(self, known: _Matches, costs: Costs) -> Iterator[tuple[list[Part], float]]:
        for kind, items in self.divisions:
            if kind != "separate" and known.holds_together(self.text, [item.text for item in items]):
                continue
            found: list[tuple[list[Part], float]] = [
                item.best(known, costs) for item in items if not says_nothing(item.text)
            ]
            if kind == "separate":
                kept = [each for each in found if each[1] >= costs.least]
                missing = len(found) - len(kept)
            else:
                kept, missing = found, 0
                if any(part.value < costs.least for parts, _ in found for part in parts):
                    continue
            if not kept:
                continue
            total = sum(value for _, value in kept) + missing * costs.least
            parts = [part for parts, _ in kept for part in parts]
            cost = (
                costs.word if len(kept) + missing == 1 else getattr(costs, {"with": "with_"}.get(kind, kind))
            )
            if len(kept) + missing > 1 and all(part.is_name for part in parts):
                cost -= costs.named
            yield parts, total / (len(kept) + missing) - cost


class _Matches:
    """How well each text, in its best form, matches a name."""

    def __init__(
        self,
        exact: Callable[[Sequence[str]], Sequence[float]],
        best: Callable[[Sequence[str]], Sequence[float]],
        closest: Callable[[Sequence[str]], Sequence[str]],
        respelt: Callable[[str], str | None],
        shorthand: bool,
        costs: Costs,
        is_preferred: Callable[[str], bool],
    ) -> None:
        self._look_up, self._search, self._closest, self._respelt = exact, best, closest, respelt
        self._shorthand, self._costs, self._is_preferred = shorthand, costs, is_preferred
        self._parts: dict[str, Part] = {}
        self._forms: dict[str, tuple[Form, ...]] = {}
        self._named: set[str] = set()
        self._exact_scores: dict[str, float] = {}
        self._closest_names: dict[str, str] = {}

    def look_up(self, texts: Sequence[str]) -> None:
        """Look up all forms of the texts as names."""
        for text in texts:
            self._forms[text] = forms(text, shorthand=self._shorthand)
        every = list(dict.fromkeys(form.text for text in texts for form in self._forms[text]))
        scores = self._exact_scores = dict(zip(every, self._look_up(every), strict=True))
        for text in texts:
            self._parts[text] = max(
                (self._part(form, scores[form.text]) for form in self._forms[text] if scores[form.text] > 0),
                key=lambda part: part.value,
                default=Part(text, -math.inf),
            )
            if self._parts[text].value > -math.inf:
                self._named.add(text)

    def search_for(self, texts: Iterator[str]) -> None:
        """Search for those of the texts of which no form is a name, also with their spelling corrected."""
        tried: dict[str, list[tuple[Form, bool]]] = {}
        for text in dict.fromkeys(texts):
            if self._parts[text].value >= SCORES["kind"] - self._costs.word:
                continue
            candidates = _to_search(self._forms[text])
            corrected = [
                (form._replace(text=other), True)
                for form in candidates
                if _is_word(form.text) and (other := self._respelt(form.text))
            ]
            tried[text] = [*((form, False) for form in candidates), *corrected]
        every = list(dict.fromkeys(form.text for options in tried.values() for form, _ in options))
        if not every:
            return
        scores = dict(zip(every, self._search(every), strict=True))
        for text, options in tried.items():
            found = (self._part(form, scores[form.text], respelt=respelt) for form, respelt in options)
            self._parts[text] = max([self._parts[text], *found], key=lambda part: part.value)

    def find_closest(self, texts: Iterable[str]) -> None:
        """Find the closest names of these texts, all at once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._closest_names]
        self._closest_names.update(zip(new, self._closest(new), strict=True))

    def keep_what_names_have(self, texts: Sequence[str]) -> None:
        """Take back forms that leave out a word which the closest name of the whole text has."""
        shortened = {
            text: left_out
            for text in texts
            if (part := self._parts[text]).share == 1 and not part.respelt
            if (left_out := _stems(text) - _stems(part.text)) and part.value > -math.inf
        }
        whole = list(shortened)
        self.find_closest(whole)
        for text, score in zip(whole, self._search(whole), strict=True):
            kept = shortened[text] & _stems(self._closest_names[text])
            if not kept or score < _CLOSE:
                continue
            others = (
                self._part(form, self._exact_scores[form.text])
                for form in self._forms[text]
                if self._exact_scores[form.text] > 0 and kept <= _stems(form.text)
            )
            self._parts[text] = max([self._part(Form(text), score), *others], key=lambda part: part.value)

    def holds_together(self, text: str, items: Sequence[str]) -> bool:
        """Whether the closest name of a text has words that only one item has, of every item, and hardly any others."""
        closest = _stems(self._closest_names[text])
        words = _stems(text)
        numbers = {word for word in words if any(map(str.isdigit, word))}
        strange = len(closest - words)
        if not closest or strange > 1 or (strange and not numbers & closest):
            return False
        of_items = [_stems(item) for item in items]
        shared = frozenset().union(
            *(one & other for place, one in enumerate(of_items) for other in of_items[place + 1 :])
        )
        return all(closest & (own - shared) for own in of_items)

    def is_name(self, text: str) -> bool:
        """Whether some form of it is a name."""
        return text in self._named

    def part(self, text: str) -> Part:
        """The best form; −inf if it has not been searched for."""
        return self._parts[text]

    def _part(self, form: Form, score: float, *, respelt: bool = False) -> Part:
        costs = self._costs
        cost = costs.marks * (form.marks + (form.share < 1)) + costs.word * form.words
        cost += costs.shorthand * (1 - form.share) + costs.respelt * respelt
        if form.is_short and not self._is_preferred(form.text):
            cost += _LITERAL
        if score < SCORES["kind"]:
            cost += costs.fuzzy
        return Part(form.text, float(score) - cost, form.share, respelt, score >= SCORES["kind"])


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    words = frozenset(simplify(text).split())
    return frozenset(map(key, words - LITTLE or words))


def _to_search(options: Sequence[Form]) -> list[Form]:
    """The text itself, without marks, and without all qualifiers: short forms written out where there are any."""
    likely = [form for form in options if not form.is_guess]
    by_depth: dict[tuple[bool, int], Form] = {}
    for form in likely:
        by_depth[form.marks, form.words] = (
            form if form.share < 1 else by_depth.get((form.marks, form.words), form)
        )
    chosen = [by_depth[key] for key in sorted(by_depth)]
    picked = [chosen[0], *chosen[-(_SEARCHED - 1) :]] if len(chosen) > _SEARCHED else chosen
    return list(dict.fromkeys(picked))


def _is_word(text: str) -> bool:
    """Whether a text may be misspelt: it is long, or has the vowels of a word, as "astma" and unlike "fancn"."""
    return len(text) > 6 or sum(c in "aeiouy" for c in text.casefold()) >= 0.3 * len(text)
