"""The report of simulations: report.md for people, curves.csv and summary.json for programs, and plots."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linnet.active.simulation.curves import (
    EFFORTS,
    Curve,
    Difference,
    Effort,
    Reach,
    compare,
    reach,
)
from linnet.active.simulation.plan import Plan
from linnet.active.simulation.plots import draw
from linnet.active.simulation.studies import Study
from linnet.active.simulation.teacher import SCORES
from linnet.io.files import open_output, replacing

__all__ = ["BASELINE", "Result", "write_report"]

BASELINE = "random"
_NEARLY = 0.99  # of the final score
_NAMED = {
    "linking": "linking of gold mentions, accuracy",
    "end to end": "end-to-end F1 (weak match)",
    "spans": "F1 of spans",
}


class Result(NamedTuple):
    """A finished simulation."""

    study: Study
    plan: Plan
    curves: Sequence[Curve]


def write_report(folder: Path, results: Sequence[Result]) -> None:
    """Write report.md, curves.csv, summary.json, mentions.png and documents.png. Raises StoreError if writing fails."""
    with replacing(folder / "curves.csv") as draft, draft.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["corpus", "strategy", "seed", "documents", "mentions", *SCORES])
        for result in results:
            writer.writerows(_rows(result))
    with open_output(folder / "summary.json") as stream:
        summary = {result.study.name: _summary(result) for result in results}
        stream.write(json.dumps(summary, indent=1) + "\n")
    with open_output(folder / "report.md") as stream:
        stream.write("\n".join(text for result in results for text in _section(result)))
    for effort in EFFORTS:
        draw(
            folder / f"{effort}.png",
            [(result.study.name, result.curves) for result in results],
            effort=effort,
            titles=_NAMED,
            baseline=BASELINE,
        )


def _rows(result: Result) -> Iterable[Sequence[object]]:
    for curve in result.curves:
        for position, (documents, mentions) in enumerate(zip(curve.documents, curve.mentions, strict=True)):
            values = [f"{curve.scores[name][position]:.6f}" for name in SCORES]
            yield (result.study.name, curve.strategy, curve.seed, int(documents), int(mentions), *values)


def _by_strategy(curves: Sequence[Curve]) -> dict[str, list[Curve]]:
    groups: dict[str, list[Curve]] = {}
    for curve in curves:
        groups.setdefault(curve.strategy, []).append(curve)
    return groups


def _summary(result: Result) -> dict[str, Any]:
    groups = _by_strategy(result.curves)
    baseline = groups.get(BASELINE, [])
    return {
        name: {
            score: {
                effort: {
                    "area_minus_random": asdict(compare(curves, baseline, score, effort=effort)),
                    "effort_for_randoms_last": asdict(reach(curves, baseline, score, effort=effort)),
                    "effort_for_99_percent": asdict(
                        reach(curves, baseline, score, effort=effort, part=_NEARLY)
                    ),
                }
                for effort in EFFORTS
            }
            for score in SCORES
        }
        for name, curves in groups.items()
        if baseline
    }


def _section(result: Result) -> Iterable[str]:
    study, plan, groups = result.study, result.plan, _by_strategy(result.curves)
    seeds = sorted({curve.seed for curve in result.curves})
    mentions = sum(len(document.mentions) for document in study.pool)
    measured = sum(len(document.mentions) for document in study.measured)
    yield f"## {study.name}\n"
    yield (
        f"{len(study.pool):,} documents with {mentions:,} mentions to annotate, {len(study.measured):,} with {measured:,} "
        f"to measure on; {len(study.terminology):,} concepts. Seeds {', '.join(map(str, seeds))}; learners "
        f"{', '.join(plan.learners)}; {_reranker(plan, study)}; data `{study.fingerprint}`, terminology "
        f"`{study.terminology.digest}`.\n"
    )
    for score in SCORES:
        yield f"### {_NAMED[score][0].upper()}{_NAMED[score][1:]}\n"
        shares = [0.0, *plan.shares]
        head = ["strategy", *(f"{100 * share:g} %" for share in shares)]
        yield _table(
            head,
            (
                [name, *_heights(curves, [share * mentions for share in shares], score)]
                for name, curves in groups.items()
            ),
        )
        if BASELINE in groups and len(groups) > 1:
            yield _comparison(groups, score)


def _reranker(plan: Plan, study: Study) -> str:
    pipeline = plan.pipeline(study.terminology)
    if pipeline.reranker is None:
        return "no reranker"
    return f"reranker `{pipeline.reranker}`, {'with' if pipeline.memory else 'without'} its memory of training mentions"


def _heights(curves: Sequence[Curve], efforts: Sequence[float], score: str) -> list[str]:
    """Mean and standard deviation over seeds."""
    heights = np.stack([curve.at(np.array(efforts), score, effort="mentions") for curve in curves])
    if len(heights) < 2:
        return [f"{100 * value:.1f}" for value in heights[0]]
    spread = heights.std(axis=0, ddof=1)
    return [f"{100 * v:.1f} ± {100 * s:.1f}" for v, s in zip(heights.mean(axis=0), spread, strict=True)]


def _comparison(groups: dict[str, list[Curve]], score: str) -> str:
    head = ["strategy"]
    for effort in EFFORTS:
        head += [
            f"area − {BASELINE}'s, points, by {effort}",
            f"{effort} for {BASELINE}'s last score, of what {BASELINE} needs",
            "for 99 % of it",
        ]
    baseline = groups[BASELINE]
    rows = []
    for name, curves in groups.items():
        if name == BASELINE:
            continue
        row = [name]
        for effort in EFFORTS:
            row.append(_difference(compare(curves, baseline, score, effort=effort)))
            for part in (1.0, _NEARLY):
                row.append(_reach(reach(curves, baseline, score, effort=effort, part=part), effort))
        rows.append(row)
    return _table(head, rows)


def _difference(difference: Difference) -> str:
    return f"{100 * difference.value:+.2f}" + _interval(difference.low, difference.high, "+.2f")


def _reach(reached: Reach, effort: Effort) -> str:
    if reached.effort is None or reached.share is None:
        return f"not reached ({reached.baseline:,.0f} {effort})"
    interval = _interval(reached.low, reached.high, ".0f")
    return f"{100 * reached.share:.0f} %{interval}: {reached.effort:,.0f} of {reached.baseline:,.0f}"


def _interval(low: float | None, high: float | None, digits: str) -> str:
    return "" if low is None or high is None else f" ({100 * low:{digits}} to {100 * high:{digits}})"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    lines = [list(head), rule, *map(list, rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
