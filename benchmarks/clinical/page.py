"""docs/results/clinical.md from the figures: every table is kept beside it as JSON, and `page.md` chooses what the page shows of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.clinical import one_more_line
from benchmarks.clinical.home import Counts
from benchmarks.clinical.intervals import difference, f1
from benchmarks.clinical.tables import BEFORE, NOW, met_or_not, share, tables, with_interval

ROOT = Path(__file__).absolute().parents[2]
for folder in ("benchmarks", "tools"):
    sys.path.append(str(ROOT / folder))

from forest_plots import plots_of  # noqa: E402
from kept_tables import keep, kept, shown  # noqa: E402
from measuring import table  # noqa: E402

__all__ = ["PAGE", "Measured", "render", "write"]

PAGE = ROOT / "docs/results/clinical.md"
TEMPLATE = Path(__file__).with_name("page.md")
_WORDS = {
    "tune": {
        "half": "the half that was tuned on (the other is not scored yet)",
        "fitted": "The weights were fitted on these notes, too: by five-fold cross-validation, micro F1 is 83.4.",
        "dictated notes": "the notes that are not scored once",
    },
    "score": {
        "half": "the half that is scored once",
        "fitted": "No weight was fitted on these notes.",
        "dictated notes": "the notes that are scored once",
    },
}
_PHENOTYPES = 82.0
_GOALS = (
    ("short forms right end to end, %", ("end to end", "classes", "abbreviation"), 60.0),
    ("traps linked, %", ("traps", "all"), -4.0),
    ("right at 0.9 and more, %", ("end to end", "sure"), 95.0),
    ("calibration error", ("end to end", "calibration error", "error"), -0.06),
    ("assertion, micro F1", ("assertion", "micro", "F1"), 82.0),
    ("dictated diagnoses found, %", ("dictated", "Disease"), 90.0),
    ("dictated medications found, %", ("dictated", "Chemical"), 90.0),
)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What the page tells of.

    half        "tune" or "score"
    systems     figures by name; BEFORE is left out where its figures are not kept
    home        title → counts of each document, now and before
    phenotypes  title → weak F1, now and before
    lines       what one more line changes, in notes and in articles
    speed       abstracts a second of processor time; {} if it was not measured: the page then keeps what it says
    """

    half: str
    systems: Mapping[str, Mapping[str, Any]]
    home: Mapping[str, Mapping[str, Counts]]
    phenotypes: Mapping[str, Mapping[str, float]]
    lines: Mapping[str, one_more_line.Changed]
    speed: Mapping[str, float]


def write(measured: Measured) -> None:
    """Write the page, its tables as JSON, and its plot."""
    keep(PAGE, render(measured))
    text = shown(TEMPLATE.read_text(encoding="utf-8"), kept(PAGE))
    PAGE.write_text(text, encoding="utf-8")
    for name, drawing in plots_of(text):
        (PAGE.parent / name).write_text(drawing, encoding="utf-8")


def render(measured: Measured) -> dict[str, str]:
    """All tables as Markdown, and the words of the page that depend on the half, by the name of their place."""
    now, before = measured.systems[NOW], measured.systems.get(BEFORE)
    found = f"{now['end to end']['all']['weak']['F1']:.1f} %"
    if before:
        gain = now["end to end"]["all"]["weak"]["F1"] - before["end to end"]["all"]["weak"]["F1"]
        found += f" of the mentions, {gain:.1f} points more than before it was made for notes"
    given = {
        **_WORDS[measured.half],
        "found": found,
        "notes": str(len(now["end to end"]["all"]["counts"])),
        "goals": _goals(measured),
        "home": _home(measured),
        "lines": _lines(measured),
        **tables(measured.systems),
    }
    if measured.speed:
        rows = [[title, f"{figure:.0f}"] for title, figure in measured.speed.items()]
        given["speed"] = table(["abstracts a second", NOW], rows)
    elif "speed" not in kept(PAGE):
        given["speed"] = "Speed has not been measured."
    return given


def _goals(measured: Measured) -> str:
    """The goals with figures before and now, and whether they are met."""
    now, before = measured.systems[NOW], measured.systems.get(BEFORE, {})
    rows = [_goal(title, *path, least=least, before=before, now=now) for title, path, least in _GOALS]
    for title, weak in list(measured.phenotypes.items())[:1]:
        figures = [{"weak F1": weak[when]} if when in weak else {} for when in (BEFORE, NOW)]
        rows.append(
            _goal(f"{title}, weak F1", "weak F1", least=_PHENOTYPES, before=figures[0], now=figures[1])
        )
    if measured.speed:
        rows.append(_goal("abstracts a second", "recognised", least=60.0, before={}, now=measured.speed))
    return table(["goal", BEFORE, NOW, "wanted", "met"], rows, text=(0, 4))


def _goal(
    title: str, *path: str, least: float, before: Mapping[str, Any], now: Mapping[str, Any]
) -> list[str]:
    """A row. least: the figure that was wanted; a negative one is the most that there may be"""
    values = [_figure(each, path) for each in (before, now)]
    known = values[1]
    met = "" if known is None else met_or_not(known >= least if least > 0 else known <= -least)
    cells = [
        "–" if value is None else f"{value:.3f}" if abs(least) < 1 else f"{value:.1f}" for value in values
    ]
    return [title, *cells, f"{'≥' if least > 0 else '≤'} {abs(least):g}", met]


def _figure(figures: Mapping[str, Any], path: Sequence[str]) -> float | None:
    """What stands at a path; a fraction in per cent."""
    value: Any = figures
    for key in path:
        value = value.get(key) if value else None
    if isinstance(value, list):
        return 100 * value[0] / value[1] if value[1] else None
    return None if value is None else float(value)


def _home(measured: Measured) -> str:
    rows = []
    for title, counts in measured.home.items():
        gain = (
            with_interval(difference(counts[NOW], counts[BEFORE]), signed=True) if BEFORE in counts else "–"
        )
        old = f"{f1(counts[BEFORE])[0]:.1f}" if BEFORE in counts else "–"
        rows.append([f"{title}, exact spans", old, with_interval(f1(counts[NOW])), gain])
    for title, figures in measured.phenotypes.items():
        old = f"{figures[BEFORE]:.1f}" if BEFORE in figures else "–"
        gain = f"{figures[NOW] - figures[BEFORE]:+.1f}" if BEFORE in figures else "–"
        rows.append([f"{title}, weak F1", old, f"{figures[NOW]:.1f}", gain])
    return table(["F1", BEFORE, NOW, "gain"], rows)


def _lines(measured: Measured) -> str:
    rows = [
        [f"{kind}: {name}", *(share([figure, documents]) for figure in (kinds, links))]
        for kind, changed in measured.lines.items()
        for name, (kinds, links, documents) in changed.items()
    ]
    return table(["one more line", "read as another kind, %", "with other links, %"], rows)
