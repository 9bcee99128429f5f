"""docs/results/generalisation.md from the figures: all tables are kept beside it as JSON, `page.md` chooses what it shows of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.generalisation.calibration import Calibration, calibration
from benchmarks.generalisation.dev_set import DevSet
from benchmarks.generalisation.figures import DISTINCT, Figures, Lump
from linnet.evaluate.score import Score
from linnet.evaluate.significance import Difference

sys.path.append(str(Path(__file__).parents[2] / "experiments"))
from chosen_tables import Chosen

__all__ = ["Row", "percent", "render", "shown", "signed", "table", "write"]

TEMPLATE = Path(__file__).with_name("page.md")
_LARGE = 0.25  # share of a gain that is named


@dataclass(frozen=True)
class Row:
    """A dev set with the figures of each system, differences of two systems by title and protocol, and what makes most of them."""

    dev_set: DevSet
    figures: Mapping[str, Figures]
    gains: Mapping[str, Mapping[str, Difference]]
    lumps: Mapping[str, Lump] = field(default_factory=dict)


def write(path: Path, rows: Sequence[Row], **filled: str) -> None:
    """Write the page, and its tables beside it as JSON; `filled` are further fields of the template."""
    tables = render(rows, **filled)
    lines = {name: text.split("\n") if "\n" in text else text for name, text in tables.items()}
    kept = json.dumps(lines, indent=1, ensure_ascii=False) + "\n"
    path.with_suffix(".json").write_text(kept, encoding="utf-8")
    path.write_text(shown(tables), encoding="utf-8")


def shown(tables: Mapping[str, str]) -> str:
    """The page as Markdown, of all tables."""
    return TEMPLATE.read_text(encoding="utf-8").format_map(
        {name: Chosen(text) for name, text in tables.items()}
    )


def render(rows: Sequence[Row], **filled: str) -> dict[str, str]:
    """All tables as Markdown, by the name of their place."""
    mentions = [row for row in rows if not row.dev_set.of_strings]
    strings = [row for row in rows if row.dev_set.of_strings]
    corpora = [row for row in mentions if not row.dev_set.held_out]
    held_out = [row for row in mentions if row.dev_set.held_out]
    return {
        "distinct": _accuracies(corpora, f"lenient{DISTINCT}", means=True),
        "distinct strict": _accuracies(corpora, f"strict{DISTINCT}", means=True),
        "lumps": _lumps(corpora),
        "mentions": _accuracies(corpora, "lenient"),
        "mentions strict": _accuracies(corpora, "strict"),
        "held out": _accuracies(held_out, "lenient"),
        "lenient": _accuracies(mentions, "lenient", means=True),
        "strict": _accuracies(mentions, "strict"),
        "recall": _recalls(mentions),
        "probabilities": _probabilities(rows),
        "coverage": _coverage(rows),
        "strings": _strings(strings),
        "difficulties": _difficulties(strings),
        "sets": "\n".join(f"- **{row.dev_set.title}**: {row.dev_set.note}" for row in rows),
        **filled,
    }


def _accuracies(rows: Sequence[Row], protocol: str, *, means: bool = False) -> str:
    body = [
        [
            row.dev_set.title,
            _count(row, protocol),
            *(percent(figures.scores[protocol].value) for figures in row.figures.values()),
            *(signed(gains[protocol]) for gains in row.gains.values()),
        ]
        for row in rows
    ]
    if means and rows:
        body.append(_means(rows, protocol))
    return table(["", "n", *_systems(rows), *_compared(rows)], body)


def _means(rows: Sequence[Row], protocol: str) -> list[str]:
    """A row of plain means over sets."""
    systems = (
        _mean(row.figures[system].scores[protocol].value for row in rows) for system in rows[0].figures
    )
    gains = (_mean(row.gains[title][protocol].value for row in rows) for title in _compared(rows))
    return ["mean of the sets", "", *map(percent, systems), *(f"{100 * gain:+.1f}" for gain in gains)]


def _lumps(rows: Sequence[Row]) -> str:
    """Where one text makes more than a quarter of a gain."""
    lines = [
        f"- {row.dev_set.title}, {title}: {percent(found.share)} % of the gain is one {row.dev_set.unit} ({found.unit})"
        for row in rows
        for title, found in row.lumps.items()
        if found.share > _LARGE
    ]
    return "\n".join(lines) or "No text makes more than a quarter of a gain."


def _recalls(rows: Sequence[Row]) -> str:
    body = [
        [
            row.dev_set.title,
            *(
                " / ".join(percent(figures.scores[f"recall@{k}"].value) for k in (8, 64))
                for figures in row.figures.values()
            ),
        ]
        for row in rows
    ]
    return table(["", *_systems(rows)], body)


def _probabilities(rows: Sequence[Row]) -> str:
    body = []
    for row in rows:
        calibrations = {name: f.calibration for name, f in row.figures.items() if f.calibration}
        for place, (name, found) in enumerate(calibrations.items()):
            body.append([row.dev_set.title if place == 0 else "", name, *_calibration(found)])
    strings = [row for row in rows if row.dev_set.of_strings]
    for name in _systems(strings):
        pairs = [pair for row in strings for pair in row.figures[name].probabilities]
        pooled = calibration([chance for chance, _ in pairs], [right for _, right in pairs])
        if pairs and pooled:
            body.append(["all strings", name, *_calibration(pooled)])
    return table(["", "", "answers", "mean", "right", "error", "perfect", "excess"], body)


def _coverage(rows: Sequence[Row]) -> str:
    body = [
        [row.dev_set.title, *(percent(figures.coverage) for figures in row.figures.values())] for row in rows
    ]
    return table(["", *_systems(rows)], body)


def _calibration(found: Calibration) -> list[str]:
    figures = (found.mean, found.right, found.error, found.perfect)
    return [f"{found.answers:,}", *(f"{figure:.3f}" for figure in figures), f"{found.excess:+.3f}"]


def _strings(rows: Sequence[Row]) -> str:
    body = [
        [
            row.dev_set.title if place == 0 else "",
            system,
            _share(figures.scores["equal"]),
            *(percent(figures.scores[f"NIL {what}"].value) for what in ("precision", "recall", "F1")),
            percent(figures.coverage),
        ]
        for row in rows
        for place, (system, figures) in enumerate(row.figures.items())
    ]
    header = ["", "", "set equality", "NIL precision", "NIL recall", "NIL F1", "coverage at 95 %"]
    return table(header, body)


def _difficulties(rows: Sequence[Row]) -> str:
    body = [
        [
            f"{row.dev_set.title}: {label}",
            f"{next(iter(row.figures.values())).by_label[label].denominator:.0f}",
            *(percent(figures.by_label[label].value) for figures in row.figures.values()),
        ]
        for row in rows
        for label in sorted(set(row.dev_set.labels))
    ]
    return table(["", "n", *_systems(rows)], body)


def _systems(rows: Sequence[Row]) -> list[str]:
    return list(rows[0].figures) if rows else []


def _compared(rows: Sequence[Row]) -> list[str]:
    return list(rows[0].gains) if rows else []


def _count(row: Row, protocol: str) -> str:
    mentions = next(iter(row.figures.values())).scores[protocol].denominator
    units = len(set(row.dev_set.units))
    return f"{mentions:,.0f}" if units >= mentions else f"{mentions:,.0f} in {units:,}"


def _share(score: Score) -> str:
    if score.value is None or score.low is None or score.high is None:
        return percent(score.value)
    return f"{percent(score.value)} ({percent(score.low)}–{percent(score.high)})"


def percent(value: float | None) -> str:
    """One decimal, without the sign; a dash for None."""
    return "–" if value is None else f"{100 * value:.1f}"


def signed(gain: Difference) -> str:
    """Points with their sign and interval."""
    limits = (
        "" if gain.low is None or gain.high is None else f" ({100 * gain.low:+.1f} to {100 * gain.high:+.1f})"
    )
    return f"{100 * gain.value:+.1f}{limits}"


def _mean(values: Iterable[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known)


def table(header: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first column to the left, the others to the right."""
    if not body:
        return "No such set was run."
    rule = "|---" + "|---:" * (len(header) - 1) + "|"
    lines = [f"| {' | '.join(header)} |", rule, *(f"| {' | '.join(cells)} |" for cells in body)]
    return "\n".join(lines)
