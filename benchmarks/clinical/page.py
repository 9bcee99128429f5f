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
from benchmarks.clinical.tables import BEFORE, NOW, share, tables, with_interval

ROOT = Path(__file__).absolute().parents[2]
for folder in ("benchmarks", "tools"):
    sys.path.append(str(ROOT / folder))

from forest_plots import plots_of  # noqa: E402
from kept_tables import keep, kept, shown  # noqa: E402
from measuring import table  # noqa: E402

__all__ = ["PAGE", "Measured", "render", "write"]

PAGE = ROOT / "docs/results/clinical.md"
TEMPLATE = Path(__file__).with_name("page.md")
_HALVES = {
    "tune": "the half that weights and thresholds were **tuned on**; the other half is not scored yet",
    "score": "the half that is scored once: nothing was tuned on it",
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
_LEAST = {"all": 9.0, "Disease": 9.0, "Chemical": 6.0}  # points of weak F1 more than before


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
        found += f", {gain:.1f} points more than before it was made for notes"
    given = {
        "half": _HALVES[measured.half],
        "found": found,
        "notes": str(len(now["end to end"]["all"]["counts"])),
        "dictated notes": "notes that are scored once"
        if measured.half == "score"
        else "notes that are not scored once",
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
    rows = []
    for kind, least in _LEAST.items() if before else ():
        counts = [each["end to end"][kind]["counts"] for each in (before, now)]
        gain = difference(counts[1], counts[0])[0]
        cells = [f"{f1(each)[0]:.1f}" for each in counts]
        rows.append([f"weak F1, {kind}", *cells, f"+{least:.0f} ({gain:+.1f})", _met(gain >= least)])
    rows += [_goal(title, *path, least=least, before=before, now=now) for title, path, least in _GOALS]
    for title, weak in measured.phenotypes.items():
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
    met = "" if known is None else _met(known >= least if least > 0 else known <= -least)
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


def _met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


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
