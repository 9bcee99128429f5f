"""A measured figure with its numerator, denominator and interval: a share, a mean, or precision, recall and F1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linnet.arrays import Doubles
from linnet.evaluate.interval import bootstrap, by_document, design_effect, wilson

__all__ = ["Score", "mean", "precision_recall_f1", "share"]


@dataclass(frozen=True, slots=True)
class Score:
    """One figure of a report.

    value      numerator / denominator; None if the denominator is 0
    low, high  95 % interval; None if it cannot be estimated
    method     how the interval was computed
    """

    name: str
    numerator: float
    denominator: float
    value: float | None
    low: float | None = None
    high: float | None = None
    method: str = ""


def share(
    name: str,
    right: Sequence[bool] | Sequence[int],
    documents: Sequence[str],
    *,
    of: Sequence[int] | None = None,
) -> Score:
    """Share of right answers, with Wilson's interval at the effective sample size.

    right      (N,) per mention: whether it is right, or how many of its `of` concepts are
    documents  (N,) the document of each mention
    of         (N,) number of concepts per mention; default 1
    """
    return _proportion(name, by_document(documents, right, np.ones(len(right)) if of is None else of))


def mean(name: str, values: Sequence[float], documents: Sequence[str]) -> Score:
    """The mean of a value per mention, with a bootstrap interval over documents."""
    sums = by_document(documents, values, np.ones(len(values)))
    total, count = (float(x) for x in sums.sum(axis=0)) if len(sums) else (0.0, 0.0)
    limits = bootstrap(sums, lambda t: _ratio(t[:, 0], t[:, 1])) if count else None
    return Score(name, total, count, total / count if count else None, *_limits(limits))


def precision_recall_f1(
    matched: Sequence[float] | Doubles,
    predicted: Sequence[float] | Doubles,
    gold: Sequence[float] | Doubles,
    documents: Sequence[str],
    *,
    prefix: str = "",
) -> tuple[Score, Score, Score]:
    """Micro-averaged precision, recall and F1.

    matched, predicted, gold  (N,) counts of each unit (a mention, a document)
    documents                 (N,) the document of each unit

    Precision without predictions and recall without gold have no value. F1 is 2·matched / (predicted + gold).
    """
    sums = by_document(documents, matched, predicted, gold)
    hits, *totals = (float(x) for x in sums.sum(axis=0)) if len(sums) else (0.0, 0.0, 0.0)
    total = sum(totals)
    limits = bootstrap(sums, lambda t: _ratio(2 * t[:, 0], t[:, 1] + t[:, 2])) if total else None
    return (
        _proportion(f"{prefix}precision", sums[:, [0, 1]]),
        _proportion(f"{prefix}recall", sums[:, [0, 2]]),
        Score(f"{prefix}F1", 2 * hits, total, 2 * hits / total if total else None, *_limits(limits)),
    )


def _proportion(name: str, sums: Doubles) -> Score:
    right, total = (float(x) for x in sums.sum(axis=0)) if len(sums) else (0.0, 0.0)
    if not total:
        return Score(name, right, total, None)
    effect = design_effect(sums[:, 0], sums[:, 1])
    low, high = wilson(right, total, effect=effect)
    return Score(name, right, total, right / total, low, high, f"Wilson, design effect {effect:.2f}")


def _limits(limits: tuple[float, float] | None) -> tuple[float | None, float | None, str]:
    return (*limits, "bootstrap over documents") if limits else (None, None, "")


def _ratio(numerator: Doubles, denominator: Doubles) -> Doubles:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)
