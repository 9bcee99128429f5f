"""The plots of the result pages, drawn from the tables of the pages: `python tools/forest_plots.py` writes them beside the pages.

A comment before a table asks for one, and a page shows it where it likes, usually at its top:

    <!-- plot study.svg: points; column 2 3; row 1-4 -->

The first column holds the labels. A cell is a number or a number with its interval, `76.5 (74.0–79.1)` or `+1.2 (-0.3 to +2.7)`; other
cells are left out. `points` stands below the axis. With several columns, the rows are drawn once for each, under its head. Columns
and rows count from 1, without the labels and the head; by default a plot has all.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from pathlib import Path

__all__ = ["Estimate", "forest", "plots_of"]

DOCS = Path(__file__).absolute().parents[1] / "docs"
WIDTH, LABELS, VALUES, PITCH = 740, 278, 152, 19
_MARK = re.compile(r"^<!-- plot (\S+\.svg): (.+?) -->\n(?:(?![|#]).*\n)*((?:\|.*\n)+)", re.MULTILINE)
_NUMBER = r"[+-]?[\d,]+(?:\.\d+)?"
_CELL = re.compile(rf"({_NUMBER})(?: \(({_NUMBER})(?:–| to )({_NUMBER})\))?")
_STYLE = (
    "text{font:12.5px system-ui,sans-serif;fill:#333}.h{font-weight:600}.v{text-anchor:end;font-size:11.5px}"
    ".a{text-anchor:middle;font-size:11.5px}.g{stroke:#8884;stroke-width:1}.z{stroke:#888;stroke-width:1.2}"
    ".i{stroke:#00897b;stroke-width:2.4;stroke-linecap:round}.p{fill:#00897b}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.i{stroke:#4db6ac}.p{fill:#4db6ac}}"
)


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, if it has one; `shown` is how the table prints it."""

    label: str
    value: float
    low: float | None
    high: float | None
    shown: str


def forest(groups: Sequence[tuple[str, Sequence[Estimate]]], axis: str) -> str:
    """A forest plot as SVG: a line for each estimate, groups under their heads, one axis, zero marked where estimates are on both sides.

    groups  a head, which may be empty, and its estimates, drawn from top to bottom
    axis    what is measured, below the numbers of the axis
    """
    known = [x for _, rows in groups for row in rows for x in (row.value, row.low, row.high) if x is not None]
    ticks = _ticks(min(known), max(known))
    first, last = ticks[0], ticks[-1]

    def at(value: float) -> str:
        return f"{LABELS + 12 + (value - first) / (last - first) * (WIDTH - LABELS - VALUES - 24):.1f}"

    drawn, y = [], 8
    for head, rows in groups:
        if head:
            y += PITCH + 5
            drawn.append(f'<text class="h" x="0" y="{y - 4}">{escape(head)}</text>')
        for row in rows:
            y += PITCH
            middle = y - 8
            drawn.append(f'<text x="0" y="{y - 4}">{escape(_shortened(row.label))}</text>')
            if row.low is not None and row.high is not None:
                line = f'x1="{at(row.low)}" x2="{at(row.high)}" y1="{middle}" y2="{middle}"'
                drawn.append(f'<line class="i" {line}/>')
            drawn.append(f'<circle class="p" cx="{at(row.value)}" cy="{middle}" r="4"/>')
            drawn.append(f'<text class="v" x="{WIDTH}" y="{y - 4}">{escape(row.shown)}</text>')
    grid = []
    for tick in ticks:
        kind = "z" if tick == 0 and first < 0 else "g"
        grid.append(f'<line class="{kind}" x1="{at(tick)}" x2="{at(tick)}" y1="4" y2="{y + 4}"/>')
        grid.append(f'<text class="a" x="{at(tick)}" y="{y + 18}">{tick:g}</text>'.replace(">-", ">−"))
    centre = (LABELS + WIDTH - VALUES) / 2
    grid.append(f'<text class="a" x="{centre:.0f}" y="{y + 34}">{escape(axis)}</text>')
    size = f'viewBox="0 0 {WIDTH} {y + 40}" width="{WIDTH}" height="{y + 40}"'
    body = "\n".join(grid + drawn)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{_STYLE}</style>\n{body}\n</svg>\n'


def _ticks(low: float, high: float) -> list[float]:
    """Four to eight round numbers around both, zero among them if it is near."""
    if 0 < low < 0.35 * high:
        low = 0.0
    wide = (high - low) or 1.0
    step = next(
        unit * 10**power
        for power in range(floor(log10(wide)) - 2, 9)
        for unit in (1, 2, 5)
        if wide / (unit * 10**power) <= 6
    )
    return [round(step * place, 9) for place in range(floor(low / step), ceil(high / step) + 1)]


def _shortened(label: str) -> str:
    return label if len(label) <= 40 else label[:39].rstrip() + "…"


def plots_of(page: str) -> Iterator[tuple[str, str]]:
    """Name and SVG of each plot that a page asks for.

    Raises ValueError for a plot that has no numbers.
    """
    for name, wish, table in _MARK.findall(page):
        axis, *choices = [part.strip() for part in wish.split(";")]
        head, _, *lines = [_cells(line) for line in table.splitlines()]
        chosen = {kind: _numbers(which) for kind, which in (choice.split(" ", 1) for choice in choices)}
        columns = chosen.get("column", list(range(1, len(head))))
        rows = [lines[number - 1] for number in chosen.get("row", list(range(1, len(lines) + 1)))]
        groups = [(head[column], _estimates(rows, column)) for column in columns]
        groups = [(title if len(columns) > 1 else "", estimates) for title, estimates in groups if estimates]
        if not groups:
            raise ValueError(f"{name}: no cell of the chosen columns is a number")
        yield name, forest(groups, axis)


def _estimates(rows: Sequence[Sequence[str]], column: int) -> list[Estimate]:
    found = []
    for cells in rows:
        if match := _CELL.match(cells[column].replace("−", "-")):
            value, low, high = (
                None if part is None else float(part.replace(",", "")) for part in match.groups()
            )
            assert value is not None
            found.append(Estimate(cells[0], value, low, high, match[0].replace("-", "−")))
    return found


def _cells(line: str) -> list[str]:
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)|[*`]", r"\1", line.strip().strip("|"))
    return [cell.strip() for cell in plain.split("|")]


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in text.split():
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


if __name__ == "__main__":
    for file in sorted(DOCS.rglob("*.md")):
        for plot, drawing in plots_of(file.read_text(encoding="utf-8")):
            (file.parent / plot).write_text(drawing, encoding="utf-8")
            sys.stderr.write(f"written: {(file.parent / plot).relative_to(DOCS.parent)}\n")
