"""Which of its variants a mention is read as, and whether it is taken for several mentions.

Searching every index for a text costs many times what exact look-up costs. What exact look-up alone decides is therefore
not searched for: the text of a mention whose rewrite is a name, and parts that could not win however well they matched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from linnet.link.variants import Rewrite, Variants
from linnet.retrieve.exact import SCORES
from linnet.retrieve.hits import Hits, Origin

__all__ = ["Choice", "ExactScores", "Parts", "choose"]

# Chosen on NCBI and BC5CDR train: every part must match this well, and the parts on average this much better than the whole.
_PART_SCORE = 0.6
_GAIN = 0.15

Parts = list[tuple[str, Hits]]
"""The text and the (1, k) hits of each part of a composite."""


class ExactScores(NamedTuple):
    """What exact look-up says of texts before the other indexes are searched.

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
    """What N mentions are read as.

    texts   (N,) the variant chosen for each
    hits    (N, k) its candidates; their origins tell of a rewrite
    splits  row → the parts of a mention that is taken for several
    """

    texts: list[str]
    hits: Hits
    splits: dict[int, Parts]


def choose(
    variants: Sequence[Variants], exact: ExactScores, search: Callable[[Sequence[str]], Hits]
) -> Choice:
    """The variant of each mention that matches best, and the parts of composites.

    exact   the scores of all texts of the variants
    search  the (N, k) hits of N texts; called once for whole mentions, and once for the parts of some

    A text that is a name stays as it is. Another one is rewritten where the rewrite is a name or gains enough. A text that
    is a name but for case and spaces is never split.
    """
    results = _SearchResults(search)
    readings = [_possible_readings(variant, exact) for variant in variants]
    results.search_for(reading.text for possible in readings for reading in possible)
    chosen = [possible[-1] if _is_better(possible, results) else possible[0] for possible in readings]
    ways = [
        _ways_that_may_win(reading.text, variant.splits.get(reading.text, ()), results, exact)
        for variant, reading in zip(variants, chosen, strict=True)
    ]
    results.search_for(part for of_mention in ways for parts in of_mention for part in parts)
    splits: dict[int, Parts] = {}
    for row, (reading, of_mention) in enumerate(zip(chosen, ways, strict=True)):
        if parts := _best_parts(reading.text, of_mention, results):
            splits[row] = [(part, results.of([part])) for part in parts]
    texts = [reading.text for reading in chosen]
    hits = results.of(texts)
    marks = np.array([reading.origin for reading in chosen], np.uint16).reshape(-1, 1)
    hits.origins[:] |= np.where(hits.concepts >= 0, marks, 0).astype(np.uint16)
    return Choice(texts, hits, splits)


class _SearchResults:
    """The hits of texts that were searched for."""

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

    def of(self, texts: Sequence[str]) -> Hits:
        """(N, k) the candidates of the texts."""
        return self._hits.take(np.array([self._rows[text] for text in texts], np.int64))


def _possible_readings(variant: Variants, exact: ExactScores) -> list[Rewrite]:
    """The text, its rewrite, or both, where search must decide between them."""
    text, other = Rewrite(variant.text, None), variant.rewrite
    if other is None or exact.is_surely_name(text.text):
        return [text]
    if not exact.may_be_name(text.text) and (other.gain is None or exact.is_surely_name(other.text)):
        return [other]
    return [text, other]


def _is_better(readings: Sequence[Rewrite], results: _SearchResults) -> bool:
    """Whether the rewrite is used instead of the text."""
    text, other = readings[0], readings[-1]
    if other is text or results.is_name(text.text):
        return False
    if other.gain is None or results.is_name(other.text):
        return True
    # Python's numbers: of two texts that find nothing, −inf − −inf is NaN without a warning, and no gain.
    return results.best_score(other.text) - results.best_score(text.text) >= other.gain


def _ways_that_may_win(
    text: str, ways: Sequence[list[str]], results: _SearchResults, exact: ExactScores
) -> Sequence[list[str]]:
    """All ways to split a text, none where no way can match better than the whole."""
    whole = results.best_score(text)
    if results.is_name(text):
        # It is split only into parts that are names more exactly.
        may_win = whole < SCORES["fold"] and any(all(map(exact.may_be_name, parts)) for parts in ways)
    else:
        may_win = any(_mean(map(exact.most, parts)) >= whole + _GAIN for parts in ways)
    return ways if may_win else ()


def _best_parts(text: str, ways: Sequence[list[str]], results: _SearchResults) -> list[str]:
    """The parts of a composite, [] where the whole matches better.

    A text that is a name less exactly (other punctuation, word order) is split only where every part is a name more exactly.
    Of several ways to split, the one whose worst part matches best.
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
    return best_way if worst >= _PART_SCORE and mean >= whole + _GAIN else []


def _mean(scores: Iterable[float]) -> float:
    values = list(scores)
    return sum(values) / len(values)
