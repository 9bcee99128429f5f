"""Mistakes of a system, and differences between two systems, as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from linnet.evaluate.compare import Comparison, Disagreement
from linnet.evaluate.formatting import across, denominator, difference_interval, interval, percent, signed
from linnet.evaluate.html_table import concepts, table
from linnet.evaluate.mistakes import KINDS, Mistake, Mistakes

__all__ = ["comparison_section", "mistake_section"]

_SHOWN, _FOLDED = 25, 300


def mistake_section(mistakes: Mistakes) -> Iterator[str]:
    """Mistakes by class, and the most frequent ones."""
    yield f'<h2 id="mistakes">Mistakes under strict: {mistakes.total:,}</h2>'
    if not mistakes.total:
        yield "<p>None.</p>"
        return
    most = max(kind.count for kind in mistakes.kinds)
    rows = [
        (
            escape(kind.name),
            f"{kind.count:,}",
            f'<span class="share"><span class="bar" style="width:{6 * kind.count / most:.2f}rem"></span> '
            f"{across(kind.count, mistakes.total)}</span>",
            "–" if kind.similarity is None else f"{kind.similarity:.2f}",
            f'<span class="soft">{escape(KINDS[kind.name])}</span>',
        )
        for kind in mistakes.kinds
    ]
    yield table(("class", "mentions", "share", "Wu–Palmer", "meaning"), rows, numeric=(1, 3), style="wide")
    if mistakes.wu_palmer.value is not None:
        yield (
            f"<p>Mean Wu–Palmer similarity to the gold concept, right answers included: <b>{mistakes.wu_palmer.value:.3f}</b> "
            f'<span class="soft">over {denominator(mistakes.wu_palmer)} mentions with one gold concept in the hierarchy.</span></p>'
        )
    yield _mistake_table(mistakes.examples[:_SHOWN])
    rest = mistakes.examples[_SHOWN:_FOLDED]
    if rest:
        omitted = len(mistakes.examples) - _SHOWN - len(rest)
        more = f" ({omitted:,} rarer ones are in report.json)" if omitted else ""
        yield f"<details><summary>{len(rest)} more{more}</summary>{_mistake_table(rest)}</details>"


def _mistake_table(examples: Sequence[Mistake]) -> str:
    rows = [
        (
            escape(m.text),
            str(m.count),
            concepts(m.gold, m.gold_names),
            concepts(m.predicted, m.predicted_names),
            escape(m.matched),
            escape(m.kind),
            str(m.rank or "–"),
        )
        for m in examples
    ]
    return table(
        ("mention", "×", "gold", "predicted", "through the name", "class", "rank of gold"),
        rows,
        numeric=(1, 6),
        style="wide",
    )


def comparison_section(comparison: Comparison, pipelines: str) -> Iterator[str]:
    """Both systems under each protocol, and what only one of them gets right."""
    yield f'<h2 id="comparison">{escape(comparison.first)} against {escape(comparison.second)}</h2>'
    yield f'<p class="soft">{escape(pipelines)}</p>' if pipelines else ""
    rows = []
    for result in comparison.protocols:
        low, high = result.difference.low, result.difference.high
        verdict = "right" if low is not None and low > 0 else "wrong" if high is not None and high < 0 else ""
        rows.append(
            (
                escape(result.protocol),
                f"{result.mentions:,}",
                f"{percent(result.first.value)} <span class='soft'>({interval(result.first)})</span>",
                f"{percent(result.second.value)} <span class='soft'>({interval(result.second)})</span>",
                f'<b class="{verdict}">{signed(result.difference.value)}</b>',
                difference_interval(result.difference),
                f"{result.mcnemar.only_first:,} / {result.mcnemar.only_second:,}",
                f'{result.mcnemar.p:.2g} <span class="soft">{"exact" if result.mcnemar.test.startswith("exact") else "χ²"}</span>',
            )
        )
    head = (
        "protocol",
        "mentions",
        comparison.first,
        comparison.second,
        "difference",
        "95 % interval",
        "only first / second right",
        "McNemar p",
    )
    yield table(tuple(map(escape, head)), rows, numeric=range(1, 8), style="wide")
    yield (
        '<p class="soft">Differences in points, with a paired bootstrap interval over documents. McNemar’s test is exact '
        "below 25 discordant pairs, else chi-squared with continuity correction.</p>"
    )
    for winner, loser, examples in comparison.disagreements:
        total = sum(e.count for e in examples)
        listing = _disagreements(examples[:_FOLDED], loser)
        yield f"<details open><summary><b>Only {escape(winner)} is right</b> <span>{total:,} mentions</span></summary>{listing}</details>"


def _disagreements(examples: Sequence[Disagreement], loser: str) -> str:
    rows = [
        (escape(e.text), str(e.count), concepts(e.gold, e.gold_names), concepts(e.wrong, e.wrong_names))
        for e in examples[:_SHOWN]
    ]
    return table(("mention", "×", "gold", escape(f"{loser} said")), rows, numeric=(1,), style="wide")
