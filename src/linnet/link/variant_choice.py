"""Choosing among the variants of a mention, and whether it is a composite.

Searching all indexes costs many times as much as exact look-up. Texts that exact look-up rules out are therefore not searched:
the text of a mention whose rewrite is a name, and parts that could not win however well they matched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from linnet.link.variants import Rewrite, Variants
from linnet.read.enumerations import is_enumeration
from linnet.retrieve.exact import SCORES
from linnet.retrieve.hits import Hits, Origin

__all__ = ["Choice", "ExactScores", "Parts", "choose"]

# Chosen on NCBI and BC5CDR train: every part must match this well, and the parts on average this much better than the whole.
_PART_SCORE = 0.6
_GAIN = 0.15
# As the pipeline's `min_score`: a best candidate that scores less says nothing.
_NOTHING = 0.3
# That a split is right, by how much better its parts match; fitted to the 115 composites among the same mentions.
_OFFSET, _SLOPE = -1.25, 10.0
_LISTED = 0.35  # at least, of a list of names ("hepatitis A, B and C"), which is hardly ever one thing

Parts = list[tuple[str, Hits]]
"""The text and the (1, k) hits of each part of a composite."""


class ExactScores(NamedTuple):
    """The results of exact look-up, before the other indexes are searched.

    best     text → score of its best exact match, overrides applied; 0 without a match
    sure     a text that scores so much has its exact match first among all candidates
    largest  no candidate scores more than this, but for exact matches and overrides
    """

    best: Mapping[str, float]
    sure: float
    largest: float

    def is_surely_name(self, text: str) -> bool:
        """Whether the best candidate of a text will be an exact match."""
        return self.best[text] >= self.sure

    def may_be_name(self, text: str) -> bool:
        """Whether the best candidate of a text can be an exact match."""
        return self.best[text] > 0

    def most(self, text: str) -> float:
        """What the best candidate of a text scores at most."""
        return max(self.largest, self.best[text])


class Choice(NamedTuple):
    """The variants chosen for N mentions.

    texts       (N,) the chosen texts
    hits        (N, k) their candidates; origins show a rewrite
    splits      row → parts of a composite
    confidence  row → 0 to 1: that the mention names these things, if each is linked right; 0: nothing; 1 for other rows
    bare        rows of mentions without context
    """

    texts: list[str]
    hits: Hits
    splits: dict[int, Parts]
    confidence: dict[int, float]
    bare: frozenset[int] = frozenset()

    @classmethod
    def joined(cls, choices: Sequence[tuple[Sequence[int], Choice]]) -> Choice:
        """One choice for the mentions of several, each with the rows of its mentions."""
        count = sum(len(rows) for rows, _ in choices)
        bare = frozenset(rows[place] for rows, choice in choices for place in choice.bare)
        joined = cls([""] * count, Hits.empty(count, choices[0][1].hits.k), {}, {}, bare)
        for rows, choice in choices:
            joined.hits.put(list(rows), choice.hits)
            for place, row in enumerate(rows):
                joined.texts[row] = choice.texts[place]
            joined.splits.update({rows[place]: parts for place, parts in choice.splits.items()})
            joined.confidence.update({rows[place]: sure for place, sure in choice.confidence.items()})
        return joined


def choose(
    variants: Sequence[Variants],
    exact: ExactScores,
    search: Callable[[Sequence[str]], Hits],
    *,
    at_once: bool = False,
) -> Choice:
    """The best variant of each mention, and the parts of composites.

    exact   the scores of all texts of the variants
    search  the (N, k) hits of N texts; called once for whole mentions, and once for the parts of some
    at_once  search for all parts together with the whole mentions: faster if a search costs little

    A text that is a name is kept. Another text is replaced by its rewrite if that is a name or gains enough. A text that is
    a name, apart from case and spaces, is never split.
    """
    results = _SearchResults(search)
    readings = [_possible_readings(variant, exact) for variant in variants]
    wholes = [reading.text for possible in readings for reading in possible]
    results.search_for([*wholes, *_parts(variants, wholes)] if at_once else wholes)
    chosen = [possible[-1] if _is_better(possible, results) else possible[0] for possible in readings]
    ways = [
        _ways_that_may_win(reading.text, variant.splits.get(reading.text, ()), results, exact)
        for variant, reading in zip(variants, chosen, strict=True)
    ]
    results.search_for(part for of_mention in ways for parts in of_mention for part in parts)
    splits: dict[int, Parts] = {}
    confidence: dict[int, float] = {}
    for row, (reading, of_mention) in enumerate(zip(chosen, ways, strict=True)):
        if parts := _best_parts(reading.text, of_mention, results):
            splits[row] = [(part, results.of([part])) for part in parts]
            margin = _mean(map(results.best_score, parts)) - results.best_score(reading.text)
            if is_enumeration(reading.text) and all(map(results.is_name, parts)):
                margin = max(margin, _LISTED)
            confidence[row] = 1 / (1 + math.exp(-(_OFFSET + _SLOPE * margin)))
    texts = [reading.text for reading in chosen]
    hits = results.of(texts)
    marks = np.array([reading.origin for reading in chosen], np.uint16).reshape(-1, 1)
    hits.origins[:] |= np.where(hits.concepts >= 0, marks, 0).astype(np.uint16)
    return Choice(texts, hits, splits, confidence)


class _SearchResults:
    """The hits of all texts searched so far."""

    def __init__(self, search: Callable[[Sequence[str]], Hits]) -> None:
        self._search = search
        self._rows: dict[str, int] = {}
        self._hits = search([])

    def search_for(self, texts: Iterable[str]) -> None:
        """Search for those of the texts that are new, all at once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if new:
            self._rows.update(zip(new, range(len(self._rows), len(self._rows) + len(new)), strict=True))
            self._hits = Hits.stack([self._hits, self._search(new)])

    def best_score(self, text: str) -> float:
        """Score of a text's best candidate, −inf without one."""
        return float(self._hits.scores[self._rows[text], 0])

    def is_name(self, text: str) -> bool:
        """Whether a text's best candidate is an exact match (or an override)."""
        return bool(int(self._hits.origins[self._rows[text], 0]) & (Origin.EXACT | Origin.OVERRIDE))

    def score_of(self, text: str, concept: int) -> float:
        """Score of a concept among a text's candidates, −inf if it is none of them."""
        row = self._rows[text]
        return float(max(self._hits.scores[row, self._hits.concepts[row] == concept], default=-np.inf))

    def best_concept(self, text: str) -> int:
        """Row of a text's best candidate, −1 without one."""
        return int(self._hits.concepts[self._rows[text], 0])

    def of(self, texts: Sequence[str]) -> Hits:
        """(N, k) the candidates of the texts."""
        return self._hits.take(np.array([self._rows[text] for text in texts], np.int64))


def _parts(variants: Sequence[Variants], wholes: Collection[str]) -> Iterator[str]:
    """The parts of all ways to split these texts."""
    known = set(wholes)
    for variant in variants:
        for text, ways in variant.splits.items():
            if text in known:
                yield from (part for parts in ways for part in parts)


def _possible_readings(variant: Variants, exact: ExactScores) -> list[Rewrite]:
    """The text or its rewrite; both, in this order, if only search can decide."""
    text, other = Rewrite(variant.text, None), variant.rewrite
    if other is None or exact.is_surely_name(text.text):
        return [text]
    if not exact.may_be_name(text.text) and (other.gain is None or exact.is_surely_name(other.text)):
        return [other] if other.within is None else [text, other]
    return [text, other]


def _is_better(readings: Sequence[Rewrite], results: _SearchResults) -> bool:
    """Whether the rewrite is used instead of the text."""
    text, other = readings[0], readings[-1]
    if other is text or results.is_name(text.text):
        return False
    if other.gain is None or results.is_name(other.text):
        return other.within is None or _is_near(text.text, other.text, other.within, results)
    # With Python's numbers, −inf − −inf (both texts without candidates) is NaN without a warning, which is not a gain.
    return results.best_score(other.text) - results.best_score(text.text) >= other.gain


def _is_near(text: str, other: str, within: float, results: _SearchResults) -> bool:
    """Whether the text's candidates have the other text's concept near the top; true if they are all far from the text."""
    best = results.best_score(text)
    return best < _NOTHING or results.score_of(text, results.best_concept(other)) >= best - within


def _ways_that_may_win(
    text: str, ways: Sequence[list[str]], results: _SearchResults, exact: ExactScores
) -> Sequence[list[str]]:
    """All ways to split a text; none if no way can match better than the whole."""
    whole = results.best_score(text)
    if results.is_name(text):
        # It is split only into parts that are names more exactly.
        may_win = whole < SCORES["fold"] and any(all(map(exact.may_be_name, parts)) for parts in ways)
    else:
        may_win = any(_mean(map(exact.most, parts)) >= whole + _GAIN for parts in ways) or is_enumeration(
            text
        )
    return ways if may_win else ()


def _best_parts(text: str, ways: Sequence[list[str]], results: _SearchResults) -> list[str]:
    """The parts of a composite; [] if the whole matches better.

    A text that is a name with other punctuation or word order is split only if each part matches a name more exactly. The
    split whose worst part matches best counts.
    """
    best_way: list[str] = []
    best_scores = (-np.inf, -np.inf)
    for parts in ways:
        scores = [results.best_score(part) for part in parts]
        if not best_way or (min(scores), _mean(scores)) > best_scores:
            best_way, best_scores = parts, (min(scores), _mean(scores))
    worst, mean = best_scores
    whole = results.best_score(text)
    if results.is_name(text):
        return best_way if worst > whole and all(map(results.is_name, best_way)) else []
    if is_enumeration(text) and all(map(results.is_name, best_way)):
        return best_way
    return best_way if worst >= _PART_SCORE and mean >= whole + _GAIN else []


def _mean(scores: Iterable[float]) -> float:
    values = list(scores)
    return sum(values) / len(values)
