"""What a system got wrong, and where two systems differ, as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from linnet.evaluate.compare import Comparison, Disagreement
from linnet.evaluate.figures import across, counted, interval, percent, signed
from linnet.evaluate.html_table import concepts, table
from linnet.evaluate.mistakes import KINDS, Mistake, Mistakes

__all__ = ["comparison_section", "mistake_section"]

_SHOWN, _FOLDED = 25, 300


def mistake_section(mistakes: Mistakes) -> Iterator[str]:
    """Classes of mistakes, and the most frequent ones."""
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
            f'<span class="soft">over {counted(mistakes.wu_palmer)} mentions with one gold concept in the hierarchy.</span></p>'
        )
    yield _mistake_table(mistakes.examples[:_SHOWN])
    rest = mistakes.examples[_SHOWN:_FOLDED]
    if rest:
        left = len(mistakes.examples) - _SHOWN - len(rest)
        more = f" ({left:,} rarer ones are in report.json)" if left else ""
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


def comparison_section(comparison: Comparison) -> Iterator[str]:
    """Both systems under each protocol, and what only one of them gets right."""
    yield f'<h2 id="comparison">{escape(comparison.first)} against {escape(comparison.second)}</h2>'
    rows = []
    for one in comparison.protocols:
        low, high = one.difference.low, one.difference.high
        verdict = "right" if low is not None and low > 0 else "wrong" if high is not None and high < 0 else ""
        rows.append(
            (
                escape(one.protocol),
                f"{one.mentions:,}",
                f"{percent(one.first.value)} <span class='soft'>({interval(one.first)})</span>",
                f"{percent(one.second.value)} <span class='soft'>({interval(one.second)})</span>",
                f'<b class="{verdict}">{signed(one.difference.value)}</b>',
                "–" if low is None or high is None else f"{signed(low)} to {signed(high)}",
                f"{one.mcnemar.only_first:,} / {one.mcnemar.only_second:,}",
                f'{one.mcnemar.p:.2g} <span class="soft">{"exact" if one.mcnemar.test.startswith("exact") else "χ²"}</span>',
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
    for winner, loser, examples in (
        (comparison.first, comparison.second, comparison.wins),
        (comparison.second, comparison.first, comparison.losses),
    ):
        if examples:
            total = sum(e.count for e in examples)
            drawn = _disagreements(examples[:_FOLDED], loser)
            yield f"<details open><summary><b>Only {escape(winner)} is right</b> <span>{total:,} mentions</span></summary>{drawn}</details>"


def _disagreements(examples: Sequence[Disagreement], loser: str) -> str:
    rows = [
        (escape(e.text), str(e.count), concepts(e.gold, e.gold_names), concepts(e.wrong, e.wrong_names))
        for e in examples[:_SHOWN]
    ]
    return table(("mention", "×", "gold", escape(f"{loser} said")), rows, numeric=(1,), style="wide")
