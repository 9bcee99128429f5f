"""A short Markdown summary of a report, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from linnet.evaluate.formatting import denominator, difference_interval, interval, percent, signed
from linnet.evaluate.report import Report
from linnet.plural import counted

__all__ = ["render_summary"]


def render_summary(report: Report) -> str:
    """The headline of each protocol with interval and denominator, recall@k, and the comparison if there is one."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    documents = counted(report.corpus["documents"], "documents")
    yield f"{report.title}: {documents}, {counted(report.corpus['mentions'], 'mentions')}\n"
    yield "| protocol | figure | % | 95 % interval | n |\n|---|---|---:|---|---:|"
    for result in report.results:
        score = result.scores[0]
        cells = (
            f"`{result.protocol}`",
            score.name,
            percent(score.value),
            interval(score),
            denominator(score),
        )
        yield f"| {' | '.join(cells)} |"
    yield f"\nrecall@k (%): {' · '.join(f'{k}: {percent(score.value)}' for k, score in report.curve)}"
    for note in report.notes:
        yield f"\nNote: {note}"
    if report.comparison is None:
        return
    if report.pipelines:
        yield f"\n{report.pipelines}"
    first, second = report.comparison.first, report.comparison.second
    yield (
        f"\n| protocol | {first} | {second} | difference | 95 % interval | McNemar p |\n|---|---:|---:|---:|---|---:|"
    )
    for compared in report.comparison.protocols:
        difference = compared.difference
        accuracies = percent(compared.first.value), percent(compared.second.value)
        figures = (*accuracies, signed(difference.value), difference_interval(difference))
        yield f"| `{compared.protocol}` | {' | '.join(figures)} | {compared.mcnemar.p:.2g} |"
