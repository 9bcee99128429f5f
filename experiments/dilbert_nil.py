"""The tables and the picture of NIL thresholds (DILBERT, §5.4), from what was kept of each removal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from nil_thresholds import NilCases, is_nil, nil_rules, nil_threshold
from result_tables import Array, markdown, percent, spread

from linnet.link import Pipeline

__all__ = ["NilTables"]

RULES = {
    "none": "nothing is NIL",
    "default": "linnet's default `min_score`",
    "false-positives": "1: nearest without a concept",
    "true-positives": "2: farthest that is right",
    "weighted": "3: FP · (1) + TP · (2)",
    "weighted-crossed": "3, crossed: TP · (1) + FP · (2)",
    "most-right": "most right of the 100",
    "train": "most right on train",
    "best": "the best there is, chosen on the mentions judged",
}
SYSTEMS = {
    "distance": "DILBERT, distance",
    "relative": "DILBERT, distance over length",
    "linker": "linnet's linker (exact, dense)",
}
COLOURS = ("#4477AA", "#EE6677", "#228833", "#AA7700", "#AA3377")


class NilTables:
    """Of one corpus."""

    def __init__(self, plan: Any, corpus: str) -> None:
        """plan: of either encoder; the removals that are done count"""
        self.wanted = plan.nil
        removals = [("nil", corpus, number) for number in range(plan.nil.removals)]
        self._kept = [plan.kept.facts(*one) for one in removals if plan.kept.has(*one)]

    @property
    def removals(self) -> int:
        """How many are done."""
        return len(self._kept)

    def cases(self, number: int, system: str, part: str = "dev") -> NilCases:
        """The mentions of one removal as a system sees them."""
        rows = self._kept[number][part]
        known = np.array([row["known"] for row in rows])
        if system == "linker":
            scores, right = zip(*(row["linker"] for row in rows), strict=True)
            return NilCases(np.array(scores), known, np.array(right, bool) & known)
        away, length, right = zip(*(row["nearest"] for row in rows), strict=True)
        scores = -np.array(away) / (np.array(length) if system == "relative" else 1)
        return NilCases(scores, known, np.array(right, bool) & known)

    @cached_property
    def scores(self) -> dict[str, dict[str, Array]]:
        """Of the mentions that did not choose the threshold."""
        return self._scores()

    def _scores(self, part: str | None = None) -> dict[str, dict[str, Array]]:
        """System → rule → (repetitions, 4): accuracy over all; precision, recall and F1 of NIL.

        part  that is judged with the same thresholds, in the place of those mentions
        """
        found: dict[str, dict[str, list[tuple[float, ...]]]] = {
            s: {rule: [] for rule in RULES} for s in SYSTEMS
        }
        for system in SYSTEMS:
            for number in range(self.removals):
                cases, train = self.cases(number, system), self.cases(number, system, "held")
                for split in range(self.wanted.splits):
                    order = np.random.default_rng([number, split]).permutation(len(cases))
                    tuning, rest = (cases.take(some) for some in np.split(order, [self.wanted.tuning]))
                    rest = rest if part is None else self.cases(number, system, part)
                    for rule in RULES:
                        threshold = _threshold(rule, tuning, rest, train)
                        found[system][rule].append(_judged(rest, threshold))
        return {
            system: {rule: np.array(rows) for rule, rows in rules.items()} for system, rules in found.items()
        }

    def accuracy(self, part: str | None = None) -> str:
        """Over all mentions, linked right or rightly NIL, and F1 of NIL. part: see `_scores`"""
        rows, scores = [], self.scores if part is None else self._scores(part)
        for rule, title in RULES.items():
            cells: list[str] = []
            for system in SYSTEMS:
                accuracy, *_, f1 = scores[system][rule].T
                pair = [spread(accuracy.tolist()), "" if rule == "none" else spread(f1.tolist())]
                cells += ["", ""] if rule == "default" and system != "linker" else pair
            rows.append((title, *cells))
        head = [name for title in SYSTEMS.values() for name in (title, "F1 of NIL")]
        return markdown(("threshold", *head), rows)

    def precision(self) -> str:
        """Precision and recall of NIL."""
        rows = []
        for system, title in SYSTEMS.items():
            means = (self.scores[system][rule].mean(axis=0) for rule in RULES if rule in nil_rules)
            rows.append((title, *(f"{percent(one[1])} / {percent(one[2])}" for one in means)))
        titles = (title for rule, title in RULES.items() if rule in nil_rules)
        return markdown(("NIL: precision / recall", *titles), rows)

    def counts(self, part: str = "dev") -> str:
        """How many mentions, and how many of them NIL."""
        known = [self.cases(number, "distance", part).known for number in range(self.removals)]
        removed = [len(one["removed"]) for one in self._kept]
        gone = " to ".join(map(str, dict.fromkeys((min(removed), max(removed)))))
        nil = percent(float(np.mean([(~some).mean() for some in known])))
        what = "refined mentions" if part == "dev" else "entries"
        return f"{len(known[0]):,} {what}, of which {nil} % have no concept once {gone} concepts are gone"

    # ── the picture ──────────────────────────────────────────────────────────────────────────────────────────

    def picture(self, file: Path) -> None:
        """Scores of mentions that are linked right, wrong, or mean nothing; and what is right at each threshold."""
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(2, len(SYSTEMS), figsize=(11, 5.6), sharex="col")
        for column, (system, title) in enumerate(SYSTEMS.items()):
            parts = [self.cases(number, system) for number in range(self.removals)]
            arrays = zip(*((c.scores, c.known, c.right) for c in parts), strict=True)
            cases, sign = NilCases(*map(np.concatenate, arrays)), 1 if system == "linker" else -1
            self._histogram(axes[0, column], cases, sign)
            self._curve(axes[1, column], cases, sign)
            axes[0, column].set_title(title, fontsize=10)
            score = "score" if system == "linker" else "threshold: distance to the nearest name"
            axes[1, column].set_xlabel(score)
        axes[0, 0].set_ylabel("mentions")
        axes[1, 0].set_ylabel("right, linked or NIL, %")
        axes[0, 0].legend(frameon=False, fontsize=8)
        handles, labels = axes[1, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncols=3, frameon=False, fontsize=8)
        figure.tight_layout(rect=(0, 0.09, 1, 1))
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, dpi=130)
        plt.close(figure)

    def _histogram(self, axis: Any, cases: NilCases, sign: int) -> None:
        kinds = {
            "linked right": cases.right,
            "linked wrong": cases.known & ~cases.right,
            "without a concept": ~cases.known,
        }
        bins = np.linspace(*np.quantile(sign * cases.scores, [0.0, 1.0]), 40).tolist()
        drawn: dict[str, Any] = {"bins": bins, "log": True, "histtype": "step", "linewidth": 1.4}
        for (name, mask), colour in zip(kinds.items(), COLOURS, strict=False):
            axis.hist(sign * cases.scores[mask], label=name, color=colour, **drawn)

    def _curve(self, axis: Any, cases: NilCases, sign: int) -> None:
        def right(thresholds: Sequence[float] | Array) -> list[float]:
            return [100 * cases.judge(threshold).mean() for threshold in thresholds]

        tried = np.unique(cases.scores)
        axis.plot(sign * tried, right(tried), color="#333333", linewidth=1.2)
        draws = [
            np.random.default_rng(seed).choice(len(cases), self.wanted.tuning, replace=False)
            for seed in range(20)
        ]
        for rule, colour in zip(nil_rules, COLOURS, strict=True):
            points = np.array([nil_threshold(cases.take(draw), rule) for draw in draws])
            points = points[np.isfinite(points)]
            style: dict[str, Any] = {"markersize": 4, "color": colour, "alpha": 0.6}
            axis.plot(sign * points, right(points), "o", label=RULES[rule], **style)


def _threshold(rule: str, tuning: NilCases, rest: NilCases, train: NilCases) -> float:
    fixed = {"none": -np.inf, "default": Pipeline().min_score}
    if rule in fixed:
        return fixed[rule]
    chosen_on = {"train": train, "best": rest}
    if rule in chosen_on:
        return nil_threshold(chosen_on[rule], "most-right")
    return nil_threshold(tuning, rule)


def _judged(cases: NilCases, threshold: float) -> tuple[float, ...]:
    nil, gold = is_nil(cases.scores, threshold), ~cases.known
    both = int((nil & gold).sum())
    f1 = 2 * both / (nil.sum() + gold.sum())
    return cases.judge(threshold).mean(), both / max(1, nil.sum()), both / gold.sum(), f1
