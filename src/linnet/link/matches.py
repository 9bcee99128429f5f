"""How well texts match names, each in its best form: as it is, without qualifiers, written out, or with its spelling corrected."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from linnet.link.readings import Form, forms
from linnet.link.string_costs import COSTS, Costs
from linnet.read.denials import Denial, denial
from linnet.retrieve.exact import SCORES
from linnet.text import LITTLE, key, simplify

__all__ = ["Lookup", "Matches", "Part"]

_SEARCHED = 3  # forms of a part that are searched for if none is a name
# Beside another name these belong to it, and are no further thing: "infection, poliomyelitis", "leukemia, in relapse".
_NOTHING_APART = frozenset(
    map(
        key,
        ("disease", "disorder", "infection", "lesion", "neoplasm", "recurrence", "relapse", "remission", "syndrome", "tumor", "tumour"),
    )
)  # fmt: skip
_CLOSE = 0.6  # score from which on the closest name says something about the words of a text


@dataclass(frozen=True, slots=True)
class Lookup:
    """The terminologies, as strings are looked up in them.

    exact         scores of the best exact match of N texts, 0 without one
    best          scores of the best candidate of N texts, −inf without one
    respelt       a text with misspelt words corrected, or None
    is_preferred  whether a text that is a name is the preferred name of its concept
    closest       name by which the best candidate of N texts was found, "" without one
    groups        semantic groups of the best candidate of N texts (`linnet.semantic_groups.Group`), 0 if unknown
    concept_names all names of the best candidate of N texts, none without one
    """

    exact: Callable[[Sequence[str]], Sequence[float]]
    best: Callable[[Sequence[str]], Sequence[float]]
    respelt: Callable[[str], str | None]
    is_preferred: Callable[[str], bool] = lambda text: False
    closest: Callable[[Sequence[str]], Sequence[str]] = lambda texts: [""] * len(texts)
    groups: Callable[[Sequence[str]], Sequence[int]] = lambda texts: [0] * len(texts)
    concept_names: Callable[[Sequence[str]], Sequence[Sequence[str]]] = lambda texts: [()] * len(texts)


class Part(NamedTuple):
    """The best form of a text that names one thing.

    value       how well it matches, less its costs
    share       see `Form`
    respelt     whether its spelling was corrected
    is_name     whether it is a name
    is_synonym  see `Form`
    """

    text: str
    value: float
    share: float = 1.0
    respelt: bool = False
    is_name: bool = False
    is_synonym: bool = False


class Matches:
    """How well each text, in its best form, matches a name. Texts are looked up first, then searched for."""

    def __init__(self, lookup: Lookup, *, shorthand: bool, costs: Costs = COSTS) -> None:
        """shorthand  write out clinical short forms"""
        self._lookup, self._shorthand, self._costs = lookup, shorthand, costs
        self._parts: dict[str, Part] = {}
        self._forms: dict[str, tuple[Form, ...]] = {}
        self._named: set[str] = set()
        self._exact_scores: dict[str, float] = {}
        self._closest_names: dict[str, str] = {}
        self._groups: dict[str, int] = {}
        self._denials: dict[str, Denial] = {}
        self._stems_of_names: dict[str, list[frozenset[str]]] = {}

    def look_up(self, texts: Sequence[str]) -> None:
        """Look up all forms of the texts as names, and of what they may deny."""
        for text in texts:
            if found := denial(text):
                self._denials[text] = found
        for text in dict.fromkeys([*texts, *(found.thing for found in self._denials.values())]):
            self._forms[text] = forms(text, shorthand=self._shorthand)
        every = list(dict.fromkeys(form.text for options in self._forms.values() for form in options))
        scores = self._exact_scores = dict(zip(every, self._lookup.exact(every), strict=True))
        for text in self._forms:
            self._parts[text] = max(
                (self._part(form, scores[form.text]) for form in self._forms[text] if scores[form.text] > 0),
                key=lambda part: part.value,
                default=Part(text, -math.inf),
            )
            if self._parts[text].value > -math.inf:
                self._named.add(text)

    def search_for(self, texts: Iterable[str]) -> None:
        """Search for those of the texts of which no form is a name, also with their spelling corrected."""
        tried: dict[str, list[tuple[Form, bool]]] = {}
        for text in dict.fromkeys(texts):
            if self._parts[text].value >= SCORES["kind"] - self._costs.word:
                continue
            candidates = _to_search(self._forms[text])
            corrected = [
                (form._replace(text=other), True)
                for form in candidates
                if _is_word(form.text) and (other := self._lookup.respelt(form.text))
            ]
            tried[text] = [*((form, False) for form in candidates), *corrected]
        every = list(dict.fromkeys(form.text for options in tried.values() for form, _ in options))
        if not every:
            return
        scores = dict(zip(every, self._lookup.best(every), strict=True))
        for text, options in tried.items():
            found = (self._part(form, scores[form.text], respelt=respelt) for form, respelt in options)
            self._parts[text] = max([self._parts[text], *found], key=lambda part: part.value)

    def find_closest(self, texts: Iterable[str]) -> None:
        """Find the closest names of these texts, all at once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._closest_names]
        self._closest_names.update(zip(new, self._lookup.closest(new), strict=True))

    def keep_what_names_have(self, texts: Sequence[str]) -> None:
        """Take back forms that leave out a word which the closest name of the whole text has beside a word of the form."""
        shortened = {
            text: left_out
            for text in texts
            if (part := self._parts[text]).share == 1 and not part.respelt
            if (left_out := _stems(text) - _stems(part.text)) and part.value > -math.inf
        }
        whole = list(shortened)
        self.find_closest(whole)
        for text, score in zip(whole, self._lookup.best(whole), strict=True):
            closest = _stems(self._closest_names[text])
            kept = shortened[text] & closest
            if not kept or score < _CLOSE or not closest & _stems(self._parts[text].text):
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
            *(own & other for place, own in enumerate(of_items) for other in of_items[place + 1 :])
        )
        return all(closest & (own - shared) for own in of_items)

    def closest_have_word_of(self, item: str, texts: Sequence[str]) -> bool:
        """Whether the closest name of one of the texts has a word of an item."""
        return any(_stems(self._closest_names[text]) & _stems(item) for text in texts)

    def find_groups(self, parts: Iterable[Part]) -> None:
        """Find the semantic groups of these parts, all at once."""
        new = [text for text in dict.fromkeys(part.text for part in parts) if text not in self._groups]
        if new:
            self._groups.update(zip(new, self._lookup.groups(new), strict=True))

    def groups(self, parts: Sequence[Part]) -> list[int]:
        """The semantic groups of each part's best candidate, 0 if unknown."""
        self.find_groups(parts)
        return [self._groups[part.text] for part in parts]

    def is_one_thing(self, parts: Sequence[Part]) -> bool:
        """Whether a part is nothing without the others, as "infection", or a name of a part's concept has all words of another part:
        "fever, malignant catarrhal"."""
        return any(
            words <= _NOTHING_APART or any(words <= name for name in self._names_of(other.text))
            for one, other in permutations(parts, 2)
            for words in [_stems(one.text)]
        )

    def _names_of(self, text: str) -> list[frozenset[str]]:
        """The stems of each name of the concept that a text names."""
        if text not in self._stems_of_names:
            [names] = self._lookup.concept_names([text])
            self._stems_of_names[text] = list(map(_stems, names))
        return self._stems_of_names[text]

    def is_name(self, text: str) -> bool:
        """Whether some form of it is a name."""
        return text in self._named

    def denies(self, text: str) -> bool:
        """Whether a text says of a name that it is not there ("asthma: no"). A name ("Absent thumb") denies nothing, nor does a
        text whose closest name has the words of denying, too ("non-small cell lung cancer")."""
        denied = self._denials.get(text)
        if denied is None or self._exact_scores.get(text, 0) > 0:
            return False
        if not denied.sure and not self.is_name(denied.thing):
            return False
        self.find_closest([text])
        closest = simplify(self._closest_names[text]).split()
        return not any(word.startswith(denying) for word in closest for denying in denied.words)

    def part(self, text: str) -> Part:
        """The best form; −inf if it has not been searched for."""
        return self._parts[text]

    def _part(self, form: Form, score: float, *, respelt: bool = False) -> Part:
        costs = self._costs
        cost = costs.marks * (form.marks + (form.share < 1)) + costs.word * form.words
        cost += costs.shorthand * (1 - form.share) + costs.respelt * respelt
        if form.is_short and not self._lookup.is_preferred(form.text):
            cost += costs.literal
        if score < SCORES["kind"]:
            cost += costs.fuzzy
        return Part(
            form.text, float(score) - cost, form.share, respelt, score >= SCORES["kind"], form.is_synonym
        )


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    words = frozenset(simplify(text).split())
    return frozenset(map(key, words - LITTLE or words))


def _to_search(options: Sequence[Form]) -> list[Form]:
    """The text itself, without marks, and without all qualifiers: short forms written out where there are any."""
    likely = [form for form in options if not form.is_guess]
    by_depth: dict[tuple[bool, float], Form] = {}
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
