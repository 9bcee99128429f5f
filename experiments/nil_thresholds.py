"""Scores below which a mention is NIL, learnt from mentions some of which have no concept in the terminology.

    rule                threshold                                                        DILBERT, §5.4
    "false-positives"   the best score of a mention without a concept                    1
    "true-positives"    the worst score of a correctly linked mention                    2
    "weighted"          FP · the first + TP · the second                                 3
    "weighted-crossed"  TP · the first + FP · the second                                 3, the other reading
    "most-right"        the one with which most mentions are right, links and NIL        not in the paper

FP and TP are the shares of these two kinds of mentions, together 1; wrongly linked mentions with a concept are of neither
kind. The paper speaks of distances, and weighs both thresholds by "the proportion of TP": "weighted" is the reading that its
purpose suggests, the other is for comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from linnet.arrays import Doubles, Mask
from linnet.errors import RequestError, UnknownNameError
from linnet.evaluate.gold import gold_mentions, golds_of
from linnet.evaluate.resolution import resolve_gold
from linnet.evaluate.system import blank
from linnet.evaluate.vocabulary import Vocabulary
from linnet.link import Linker
from linnet.types import Document

__all__ = ["NilCases", "is_nil", "nil_cases", "nil_rules", "nil_threshold"]


@dataclass(frozen=True, slots=True)
class NilCases:
    """The best candidate of each mention, whatever its score.

    scores  (N,) higher is better, such as a negated distance
    known   (N,) whether the mention's concept is in the terminology
    right   (N,) whether the best candidate is that concept
    """

    scores: Doubles
    known: Mask
    right: Mask

    def __post_init__(self) -> None:
        if not len(self.scores) == len(self.known) == len(self.right):
            raise ValueError("scores, known and right must have the same length")
        if not np.isfinite(self.scores).all():
            raise ValueError("scores must be finite: leave out mentions without a candidate")
        if (self.right & ~self.known).any():
            raise ValueError("a mention without a concept in the terminology cannot be linked right")

    def __len__(self) -> int:
        return len(self.scores)

    def take(self, places: Any) -> NilCases:
        """Some of the mentions."""
        return NilCases(self.scores[places], self.known[places], self.right[places])

    def judge(self, threshold: float) -> Mask:
        """(N,) whether each decision is right with a threshold: a right link kept, or NIL for a mention without concept."""
        nil = is_nil(self.scores, threshold)
        return (self.right & ~nil) | (~self.known & nil)


def is_nil(scores: Any, threshold: float) -> Mask:
    """(N,) whether the best candidate scores less than the threshold, as `Pipeline.min_score` is applied."""
    return np.asarray(scores, np.float64) < threshold


def nil_threshold(cases: NilCases, rule: str = "weighted") -> float:
    """The score below which a mention is NIL, by one of `nil_rules`.

    Raises UnknownNameError for another rule, RequestError where the rule needs a kind of mention that is absent.
    """
    if rule not in nil_rules:
        raise UnknownNameError("NIL rule", rule, nil_rules)
    return nil_rules[rule](cases)


def nil_cases(linker: Linker, documents: Sequence[Document], *, types: Collection[str] = ()) -> NilCases:
    """A linker's best candidates for the gold mentions of documents that it has not learnt from.

    types  only mentions of these types

    Composites, mentions without a candidate, and reranked mentions are left out: `min_score` does not apply to them.
    Raises RequestError where none is left.
    """
    resolve = Vocabulary(linker.terminologies).resolve
    links = linker.link(list(gold_mentions(blank(documents), types=types)), k=1)
    golds = golds_of(gold_mentions(documents, types=types))
    golds = resolve_gold(golds, [[c.concept for c in link.candidates] for link in links], resolve)
    rows = [
        (link.candidates[0].score, known, known and link.candidates[0].concept in gold.concepts)
        for gold, link in zip(golds, links, strict=True)
        if link.candidates
        and not link.parts
        and "reranked" not in link.candidates[0].origin
        and len(gold.concepts) < 2
        for known in [any(map(resolve, gold.concepts))]
    ]
    if not rows:
        raise RequestError(
            f"None of {len(golds):,} mentions has a score to compare with a threshold. Name annotated documents, and "
            "open the linker without a reranker: a reranked mention is NIL by probability (--min-probability)."
        )
    scores, known, right = zip(*rows, strict=True)
    return NilCases(np.array(scores, np.float64), np.array(known, bool), np.array(right, bool))


def _false_positives(cases: NilCases) -> float:
    wrong = cases.scores[~cases.known]
    if not len(wrong):
        raise RequestError(
            f"All {len(cases):,} mentions have a concept in the terminology; the threshold needs some without. "
            "Name more documents, or take concepts out of the terminology."
        )
    return float(wrong.max())


def _true_positives(cases: NilCases) -> float:
    right = cases.scores[cases.right]
    if not len(right):
        raise RequestError(
            f"None of {len(cases):,} mentions is linked right; the threshold needs some that are. "
            "Name more documents, or the terminology they are annotated with."
        )
    return float(right.min())


def _weighted(cases: NilCases, *, crossed: bool = False) -> float:
    wrong, right = _false_positives(cases), _true_positives(cases)
    false, true = int((~cases.known).sum()), int(cases.right.sum())
    if crossed:
        false, true = true, false
    return (false * wrong + true * right) / (false + true)


def _most_right(cases: NilCases) -> float:
    """The lowest of equally good thresholds; −∞ where nothing should be NIL, ∞ where all should."""
    order = np.argsort(cases.scores, kind="stable")
    scores = cases.scores[order]
    # Right decisions among the i lowest mentions (NIL) and the others (links), for each i.
    below = np.concatenate([[0], np.cumsum(~cases.known[order])])
    above = np.concatenate([np.cumsum(cases.right[order][::-1])[::-1], [0]])
    count = below + above
    possible = np.concatenate([[True], scores[1:] > scores[:-1], [True]])[: len(scores) + 1]
    best = int(np.argmax(np.where(possible, count, -1)))
    if best == 0:
        return -np.inf
    return float(scores[best]) if best < len(scores) else np.inf


nil_rules: dict[str, Callable[[NilCases], float]] = {
    "false-positives": _false_positives,
    "true-positives": _true_positives,
    "weighted": _weighted,
    "weighted-crossed": partial(_weighted, crossed=True),
    "most-right": _most_right,
}
