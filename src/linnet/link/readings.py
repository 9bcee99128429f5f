"""The readings of strings, each with its features and score: every form of the string as one thing, every way to divide it, and none.

All texts of all strings are looked up together, then those that may yet win are searched for together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from linnet.arrays import Doubles
from linnet.link.lookup import Best, Lookup
from linnet.link.reading_features import (
    Features,
    as_written,
    covered,
    divided,
    lost_words,
    matched,
    nothing,
    other_kind,
    undivided,
    without_words_of,
)
from linnet.read.denials import Denial, denial
from linnet.read.divide import Division, Kind, Node
from linnet.read.doses import names_dosage_form
from linnet.read.forms import Form, forms
from linnet.read.placeholders import placeholder
from linnet.read.rules import link_weights
from linnet.retrieve.exact import SCORES
from linnet.retrieve.hits import Origin
from linnet.words.semantic_groups import Group, compatible
from linnet.words.text import simplify

__all__ = ["Query", "Reading", "Readings", "Recall", "Thing", "ranked", "shares"]

_SEARCHED = 3  # forms of a text that are searched for if none is a name
NOTHING = 3
"""How many times as probable as anything else it must be that a string names nothing, to say so."""
_ONLY_NAMES = ("symbol", "placebo", "in brackets", "combination")  # forms that are not searched for
Recall = Callable[[Sequence[str], Sequence[Sequence[str]]], Doubles]
"""Of N texts and (N, k) ids, the share of mentions seen with each text that meant each concept; NaN for a text not seen."""
_DISORDER = Group.DISEASE | Group.PHENOTYPE
_TREATMENT = Group.CHEMICAL | Group.PROTEIN
_ANY_MATCH = min(SCORES.values())
_APART = frozenset({Kind.SEPARATE, Kind.DASHED})


class Query(NamedTuple):
    """A mention to read: its text as written, with abbreviations expanded, whether there is a text around it, and what it may be;
    nothing if that is not known."""

    written: str
    text: str
    in_text: bool
    groups: Group = Group(0)


class Thing(NamedTuple):
    """A thing that a string names: the text to link, how it was made, and its best candidate."""

    text: str
    origin: Origin
    best: Best


class Reading(NamedTuple):
    """A reading of a string.

    things    none: it names nothing
    features  see `linnet.link.reading_features`
    score     log odds, up to a constant that all readings of the string share
    left_out  what a division leaves out as no name of the terminology, though it says something
    sure      0 to 1: that what is left out names nothing
    """

    things: tuple[Thing, ...]
    features: Features
    score: float
    left_out: tuple[str, ...] = ()
    sure: float = 1.0

    @property
    def concepts(self) -> frozenset[int]:
        """The rows of the best candidates."""
        return frozenset(thing.best.concept for thing in self.things)


def ranked(readings: Iterable[Reading]) -> list[Reading]:
    """The readings by falling probability of what they name: readings of the same concepts together, the best of them first.

    Nothing comes first only if it is at least `NOTHING` times as probable as anything else: a link of little probability tells more.
    """
    readings = sorted(readings, key=lambda reading: -reading.score)
    together: dict[frozenset[int], float] = {}
    for reading, share in zip(readings, shares(readings), strict=True):
        together[reading.concepts] = together.get(reading.concepts, 0.0) + share / (
            1.0 if reading.things else NOTHING
        )
    return sorted(readings, key=lambda reading: -together[reading.concepts])


def shares(readings: Sequence[Reading]) -> list[float]:
    """The probability of each reading, by the softmax of their scores."""
    most = max(reading.score for reading in readings)
    odds = [math.exp(reading.score - most) for reading in readings]
    total = sum(odds)
    return [each / total for each in odds]


class Readings:
    """The readings of strings whose texts are looked up and searched for together."""

    def __init__(
        self,
        lookup: Lookup,
        roots: Mapping[Query, Node],
        *,
        weights: Mapping[str, float],
        respelt: Callable[[str], str | None],
        recalled: Recall,
        shorthand: bool,
        amounts: bool = False,
    ) -> None:
        """
        roots      the strings as trees
        weights    of the features
        respelt    a text with misspelt words corrected, or None
        recalled   see `Recall`
        shorthand  write out clinical short forms
        amounts    leave no doses out
        """
        self._lookup, self._roots, self._weights = lookup, roots, weights
        self._respelt, self._recalled, self._shorthand = respelt, recalled, shorthand
        self._amounts = amounts
        # A text may be in several places of a tree, and be divided in more ways in one than in another.
        nodes = {id(node): node for root in roots.values() for node in root.nodes()}
        texts = dict.fromkeys(node.text for node in nodes.values())
        self._denials = {text: denied for text in texts if (denied := denial(text))}
        self._forms: dict[str, tuple[Form, ...]] = {}
        self._named: dict[str, list[Form]] = {}
        self._searched: dict[str, list[Form]] = {}
        self._searched_of: dict[Query, frozenset[str]] = {}
        # Of the string that is read: what other strings of the call search for tells nothing about it.
        self._here: frozenset[str] = frozenset()
        self._in_text, self._groups = False, Group(0)
        self._other_kind: dict[str, float] = {}
        self._remembered: dict[str, float] = {}
        self._items: dict[tuple[str, int], tuple[Reading | None, float]] = {}
        self._look_up(texts)
        self._search()
        lookup.find_names(self._named_in_lists(nodes.values()))

    def of(self, query: Query) -> list[Reading]:
        """All readings of a string, the best first."""
        self._here, self._items, self._in_text = self._searched_of[query], {}, query.in_text
        self._groups = query.groups
        readings = [*self._readings(self._roots[query], 0)]
        if query.written != query.text and self._lookup.exact(query.written) > 0:
            features = as_written(query.written, query.text, self._lookup)
            readings.append(
                self._scored([Thing(query.written, Origin(0), self._lookup.best(query.written))], features)
            )
        return ranked(readings)

    # ── looking up and searching ─────────────────────────────────────────────────────────────────────────

    def _look_up(self, texts: Iterable[str]) -> None:
        """Look up all forms of the texts, and of what they deny."""
        for text in dict.fromkeys([*texts, *(denied.thing for denied in self._denials.values())]):
            every = forms(text, shorthand=self._shorthand)
            self._forms[text] = (
                tuple(form for form in every if not form.has("left out: dose")) if self._amounts else every
            )
        texts = (form.text for options in self._forms.values() for form in options)
        self._lookup.look_up([*(query.written for query in self._roots), *texts])
        for text, options in self._forms.items():
            self._named[text] = [form for form in options if self._lookup.exact(form.text) > 0]

    def _search(self) -> None:
        """Search for the strings, and for parts of them that are no names beside parts that are."""
        for query, root in self._roots.items():
            texts = [*self._to_search(root)]
            self._searched_of[query] = frozenset(texts)
            for text in texts:
                if text not in self._searched:
                    self._searched[text] = self._unnamed(text)
        unnamed = [form.text for options in self._searched.values() for form in options]
        self._lookup.look_up(unnamed)
        written = (query.written for query in self._roots if query.written != query.text)
        self._lookup.search([*self._searched, *written, *unnamed])
        unsure = [text for text in dict.fromkeys(unnamed) if not self._lookup.best(text).is_exact]
        self._other_kind = dict(zip(unsure, other_kind(unsure, self._lookup), strict=True))
        written_so = [text for text in self._searched if text in self._other_kind and not placeholder(text)]
        if written_so and self._lookup.k:
            meant = np.nan_to_num(self._recalled(written_so, self._lookup.ids(written_so)))
            self._remembered = dict(zip(written_so, meant.max(1).tolist(), strict=True))

    def _to_search(self, node: Node) -> Iterator[str]:
        yield node.text
        for kind, items in node.divisions:
            if kind in _APART or any(self._named[item.text] or self._silence(item) for item in items):
                for item in items:
                    yield from self._to_search(item)

    def _unnamed(self, text: str) -> list[Form]:
        """The forms of a text to search for: itself, and where no form is nearly a name, without marks and without qualifiers, short
        forms written out, and each with its spelling corrected."""
        options = [form for form in self._forms[text] if not any(map(form.has, _ONLY_NAMES))]
        chosen = options[:1]
        if all(dict(form.rules).get("words", 0) > 1 for form in self._named[text]):
            by_depth: dict[tuple[bool, float], Form] = {}
            for form in options:
                rules = dict(form.rules)
                depth = ("marks" in rules, rules.get("words", 0.0))
                by_depth[depth] = form if form.has("short form") else by_depth.get(depth, form)
            ordered = [by_depth[depth] for depth in sorted(by_depth)]
            chosen += [ordered[0], *ordered[1:][-(_SEARCHED - 1) :]]
        unnamed = [form for form in dict.fromkeys(chosen) if self._lookup.exact(form.text) == 0]
        if len(chosen) == 1:
            return unnamed
        corrected = (
            Form(other, (*form.rules, ("respelt", 1.0)))
            for form in unnamed
            if _is_word(form.text) and (other := self._respelt(form.text))
        )
        return [*unnamed, *corrected]

    def _named_in_lists(self, nodes: Iterable[Node]) -> Iterator[int]:
        """The concepts that items of lists may name."""
        for node in nodes:
            for division in node.divisions:
                if division.kind is Kind.COMMAS:
                    for item in division.items:
                        for inner in item.nodes():
                            for form in (*self._named[inner.text], *self._searched.get(inner.text, ())):
                                yield self._lookup.best(form.text).concept

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────

    def _scored(
        self, things: Sequence[Thing], features: Features, left_out: Sequence[str] = (), sure: float = 1.0
    ) -> Reading:
        score = sum(value * self._weights.get(name, 0.0) for name, value in features.items())
        return Reading(tuple(things), features, score, tuple(left_out), sure)

    def _readings(self, node: Node, depth: int) -> Iterator[Reading]:
        """The readings of a text: as nothing, as one thing in each form, divided in each way."""
        is_searched = node.text in self._here
        closest = self._lookup.best(node.text) if is_searched else None
        # The memory of single concepts says nothing about a text that may as well mean several.
        remembered = 0.0 if self._is_list_of_names(node) else self._remembered.get(node.text, 0.0)
        yield self._scored([], nothing(self._silence(node), item=depth > 0, in_text=self._in_text))
        for form in (*self._named[node.text], *(self._searched[node.text] if is_searched else ())):
            best = self._lookup.best(form.text)
            # What is searched for by its context has no candidate by name.
            as_is = not depth and form.text == node.text
            if best.concept >= 0 or (as_is and not self._lookup.is_comparable):
                features = self._matched(node.text, form, best, closest)
                if remembered and form.text == node.text:
                    features["remembered"] = remembered
                features |= undivided(best, [(d.kind, self._speaking(d)) for d in node.divisions])
                untold = self._untold(node, best)
                sure = math.prod(self._item(item, depth + 1)[1] for item in untold)
                things = [Thing(form.text, _origin(form), best)]
                yield self._scored(things, features, [item.text for item in untold], sure)
        for division in node.divisions:
            if reading := self._divided(node, division, closest, depth):
                yield reading
                if division.kind is Kind.DASHED and (kept := _without_treatment(reading.things)):
                    features = reading.features | {"treatment left out": 1.0}
                    yield self._scored(kept, features, reading.left_out, reading.sure)

    def _is_list_of_names(self, node: Node) -> bool:
        """Whether a division has names alone."""
        return any(
            len(division.items) > 1 and all(self._named[item.text] for item in division.items)
            for division in node.divisions
        )

    def _speaking(self, division: Division) -> list[str]:
        """The items of a division that do not say of themselves that they name nothing."""
        return [item.text for item in division.items if not self._silence(item)]

    def _untold(self, node: Node, best: Best) -> list[Node]:
        """The separate items of an undivided text of which its name has no word."""
        separate = next((division for division in node.divisions if division.kind in _APART), None)
        if separate is None or best.is_exact:
            return []
        strange = without_words_of(best.name, self._speaking(separate))
        return [item for item in separate.items if item.text in strange]

    def _matched(self, text: str, form: Form, best: Best, closest: Best | None) -> Features:
        features = matched(form, best, comparable=self._lookup.is_comparable)
        if closest is not None and not (form.has("respelt") or form.has("short form")):
            features |= lost_words(text, form.text, closest)
        if not best.is_exact:
            features |= covered(form.text, best.name)
        if form.text in self._other_kind:
            features["other kind"] = self._other_kind[form.text]
            if features.get("words that its name lacks") == 0 and features["words that it lacks"]:
                features["other kind, part of a name"] = self._other_kind[form.text]
        elif names_dosage_form(text) and not names_dosage_form(form.text):
            [features["other kind"]] = other_kind([form.text], self._lookup, products=True)
        return features

    def _divided(self, node: Node, division: Division, closest: Best | None, depth: int) -> Reading | None:
        """A text divided in this way, each item read in the best way; None if no item names a thing."""
        speaking = set(self._speaking(division))
        best = {item.text: self._item(item, depth + 1) for item in division.items if item.text in speaking}
        read = [reading for reading, _ in best.values() if reading is not None and reading.things]
        if not read:
            return None
        unread = {
            text: sure for text, (reading, sure) in best.items() if reading is None or not reading.things
        }
        things = {thing.text: thing for reading in read for thing in reading.things}
        features = divided(
            node.text,
            division,
            [(thing.text, thing.best) for thing in things.values()],
            [reading.features for reading in read],
            self._lookup,
            unread=len(unread),
            closest=closest,
        )
        left_out = [*unread, *(text for reading in read for text in reading.left_out)]
        sure = math.prod((*unread.values(), *(reading.sure for reading in read)))
        reading = self._scored(list(things.values()), features, left_out, sure)
        of_kind = all(compatible(self._groups, Group(thing.best.groups)) for thing in reading.things)
        return reading if of_kind else reading._replace(score=reading.score + _of_another_kind())

    def _item(self, item: Node, depth: int) -> tuple[Reading | None, float]:
        """The best reading of an item, None if nothing is known of it, and the probability that it names nothing."""
        key = (item.text, depth)
        if key not in self._items:
            is_known = self._named[item.text] or item.text in self._here or item.divisions
            readings = [*self._readings(item, depth)] if is_known else []
            best = max(readings, key=lambda reading: reading.score, default=None)
            of_all = zip(readings, shares(readings), strict=True) if readings else ()
            self._items[key] = best, sum(share for r, share in of_all if not r.things) if readings else 1.0
        return self._items[key]

    def _silence(self, node: Node) -> str:
        """The rule by which a text names nothing that could be linked, or ""."""
        return node.silent or (self._denials[node.text].how if self._denies(node.text) else "")

    def _denies(self, text: str) -> bool:
        """Whether a text says of a name that it is not there ("asthma: no"). A name ("Absent thumb") denies nothing, nor does a
        text whose closest name has the words of denying, too ("non-small cell lung cancer"). Of a sign, which looser matches
        ignore, a name has to have every character."""
        denied: Denial | None = self._denials.get(text)
        if (
            denied is None
            or self._lookup.exact(text) >= (_ANY_MATCH if denied.words else SCORES["fold"])
            or not (denied.sure or self._named[denied.thing])
        ):
            return False
        closest = simplify(self._lookup.best(text).name).split() if text in self._here else []
        return not any(word.startswith(denying) for word in closest for denying in denied.words)


@cache
def _of_another_kind() -> float:
    """Log odds that a thing of another kind than its mention is right, as of "chest" and "back pain"."""
    return link_weights("kind order: other")["always"]


def _without_treatment(things: Sequence[Thing]) -> Sequence[Thing]:
    """What is left without that with which a disease is treated, "HTN - lisinopril"; [] if nothing is left out."""
    first, *others = things
    kept = [first, *(thing for thing in others if not thing.best.groups or thing.best.groups & ~_TREATMENT)]
    return kept if first.best.groups & _DISORDER and len(kept) < len(things) else []


def _origin(form: Form) -> Origin:
    """How the text of a form was made of what is written."""
    if form.has("respelt"):
        return Origin.SPELLING
    if form.has("lay, brand or foreign name"):
        return Origin.SYNONYM
    return Origin.ABBREVIATION if form.has("short form") else Origin(0)


def _is_word(text: str) -> bool:
    """Whether a text may be misspelt: it is long, or has the vowels of a word, as "astma" and unlike "fancn"."""
    return len(text) > 6 or sum(c in "aeiouy" for c in text.casefold()) >= 0.3 * len(text)
