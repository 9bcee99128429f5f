"""A report in a few lines of Markdown, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from linnet import plural
from linnet.evaluate.figures import counted, interval, percent, signed
from linnet.evaluate.report import Report

__all__ = ["render_summary"]


def render_summary(report: Report) -> str:
    """The first figure of each protocol with interval and denominator, recall@k, and the comparison if there is one."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    documents = plural.counted(report.corpus["documents"], "documents")
    yield f"{report.title}: {documents}, {plural.counted(report.corpus['mentions'], 'mentions')}\n"
    yield "| protocol | figure | % | 95 % interval | n |\n|---|---|---:|---|---:|"
    for result in report.results:
        score = result.scores[0]
        cells = (f"`{result.protocol}`", score.name, percent(score.value), interval(score), counted(score))
        yield f"| {' | '.join(cells)} |"
    yield f"\nrecall@k (%): {' · '.join(f'{k}: {percent(score.value)}' for k, score in report.curve)}"
    for note in report.notes:
        yield f"\nNote: {note}"
    if report.comparison is None:
        return
    first, second = report.comparison.first, report.comparison.second
    yield (
        f"\n| protocol | {first} | {second} | difference | 95 % interval | McNemar p |\n|---|---:|---:|---:|---|---:|"
    )
    for one in report.comparison.protocols:
        low, high = one.difference.low, one.difference.high
        limits = "–" if low is None or high is None else f"{signed(low)} to {signed(high)}"
        figures = (percent(one.first.value), percent(one.second.value), signed(one.difference.value), limits)
        yield f"| `{one.protocol}` | {' | '.join(figures)} | {one.mcnemar.p:.2g} |"
