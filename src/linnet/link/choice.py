"""Choosing among the variants of a mention, and whether it is a composite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from linnet.link.variants import Variants
from linnet.retrieve.exact import SCORES
from linnet.retrieve.hits import Hits, Origin

__all__ = ["Choice", "Parts", "SearchResults", "choose"]

# Chosen on NCBI and BC5CDR train: every part must be found this well, and the parts on average this much better than the whole.
_PART_SCORE = 0.6
_GAIN = 0.15

Parts = list[tuple[str, Hits]]
"""The text and the (1, k) hits of each part of a composite."""


class SearchResults(NamedTuple):
    """The hits of all texts searched; `rows`: row in `hits` of each text."""

    rows: Mapping[str, int]
    hits: Hits

    def best_score(self, text: str) -> float:
        """Score of a text's best candidate, −inf without one."""
        return float(self.hits.scores[self.rows[text], 0])

    def is_name(self, text: str) -> bool:
        """Whether a text's best candidate is an exact match (or an override)."""
        return bool(int(self.hits.origins[self.rows[text], 0]) & (Origin.EXACT | Origin.OVERRIDE))

    def of(self, text: str) -> Hits:
        """(1, k) a text's candidates."""
        return self.hits.take([self.rows[text]])


class Choice(NamedTuple):
    """The variants chosen for N mentions.

    texts   (N,) the chosen texts
    hits    (N, k) their candidates; origins show a rewrite
    splits  row → parts of a composite
    """

    texts: list[str]
    hits: Hits
    splits: dict[int, Parts]


def choose(variants: Sequence[Variants], results: SearchResults) -> Choice:
    """The best variant of each mention, and the parts of composites.

    A text that is a name is kept. Another text is replaced by its rewrite if that is a name or gains enough. A text that is
    a name, apart from case and spaces, is never split.
    """
    texts, origins = [], []
    splits: dict[int, Parts] = {}
    for row, variant in enumerate(variants):
        other = variant.rewrite
        if other is not None and not _is_better(variant, results):
            other = None
        text = variant.text if other is None else other.text
        texts.append(text)
        origins.append(Origin(0) if other is None else other.origin)
        parts = _best_parts(text, variant.splits.get(text, ()), results)
        if parts:
            splits[row] = [(part, results.of(part)) for part in parts]
    hits = results.hits.take(np.array([results.rows[text] for text in texts], np.int64))
    marks = np.array(origins, np.uint16).reshape(-1, 1)
    hits.origins[:] |= np.where(hits.concepts >= 0, marks, 0).astype(np.uint16)
    return Choice(texts, hits, splits)


def _is_better(variant: Variants, results: SearchResults) -> bool:
    """Whether the rewrite is used instead of the text."""
    text, other = variant.text, variant.rewrite
    if other is None or results.is_name(text):
        return False
    if other.gain is None or results.is_name(other.text):
        return True
    # With Python's numbers, −inf − −inf (both texts without candidates) is NaN without a warning, which is not a gain.
    return results.best_score(other.text) - results.best_score(text) >= other.gain


def _best_parts(text: str, ways: Sequence[list[str]], results: SearchResults) -> list[str]:
    """The parts of a composite; [] if the whole matches better.

    A text that is a name with other punctuation or word order is split only if each part matches a name more exactly. The
    split whose worst part matches best counts.
    """
    whole, named = results.best_score(text), results.is_name(text)
    if not ways or (named and whole >= SCORES["fold"]):
        return []
    best_way: list[str] = []
    best_scores = (-np.inf, -np.inf)
    for parts in ways:
        scores = [results.best_score(part) for part in parts]
        if not best_way or (min(scores), sum(scores) / len(scores)) > best_scores:
            best_way, best_scores = parts, (min(scores), sum(scores) / len(scores))
    worst, mean = best_scores
    if named:
        return best_way if worst > whole and all(map(results.is_name, best_way)) else []
    return best_way if worst >= _PART_SCORE and mean >= whole + _GAIN else []
