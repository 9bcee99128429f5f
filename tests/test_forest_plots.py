"""The plots of the result pages: drawn from the pages' tables, and current."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tools"))

from forest_plots import plots_of  # noqa: E402

PAGES = sorted((ROOT / "docs").rglob("*.md"))
TABLE = """
<!-- plot study.svg: points; column 1 3; row 1-2 -->

| system | gain | why | loss |
| --- | ---: | --- | ---: |
| **first** & best | +1.2 (-0.3 to +2.7), p = 0.2 | a | 76.5 (74.0–79.1) ± 0.1 |
| [second](x.md) | | b | 70.1 |
| third | 9.9 | c | 9.9 |
"""


def test_a_plot_has_the_chosen_cells_of_the_table_below_its_comment() -> None:
    [(name, drawing)] = plots_of(TABLE)
    texts = [node.text for node in ElementTree.fromstring(drawing).iter() if node.tag.endswith("text")]
    assert name == "study.svg"
    assert texts[texts.index("points") + 1 :] == [
        "gain",
        "first & best",
        "+1.2 (−0.3 to +2.7)",
        "loss",
        "first & best",
        "76.5 (74.0–79.1)",
        "second",
        "70.1",
    ]


def test_values_and_intervals_are_drawn_to_scale() -> None:
    drawing = next(plots_of(TABLE.replace("column 1 3", "column 1").replace("row 1-2", "row 1 3")))[1]
    ticks = {
        float(text): float(x)
        for x, text in re.findall(r'class="a" x="([\d.]+)" y="\d+">(-?[\d.]+)<', drawing)
    }
    low, high = min(ticks), max(ticks)

    def value(x: str) -> float:
        return low + (float(x) - ticks[low]) / (ticks[high] - ticks[low]) * (high - low)

    assert [value(x) for x in re.findall(r'cx="([\d.]+)"', drawing)] == pytest.approx([1.2, 9.9], abs=0.03)
    [limits] = re.findall(r'class="i" x1="([\d.]+)" x2="([\d.]+)"', drawing)
    assert [value(x) for x in limits] == pytest.approx([-0.3, 2.7], abs=0.03)


def test_a_plot_without_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match=r"study\.svg: no cell"):
        list(plots_of(TABLE.replace("column 1 3", "column 2")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_the_plots_of_a_page_are_those_of_its_tables(page: Path) -> None:
    """If not: python tools/forest_plots.py"""
    for name, drawing in plots_of(page.read_text(encoding="utf-8")):
        assert (page.parent / name).read_text(encoding="utf-8") == drawing
        assert len(drawing) < 15_000
