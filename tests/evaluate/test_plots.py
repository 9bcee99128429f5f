"""Plots as SVG."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from linnet.evaluate import plots
from linnet.evaluate.calibration import Bin
from linnet.evaluate.score import Score

SCORE = Score("recall", 7, 10, 0.7, 0.5, 0.9)


def numbers(svg: str, tag: str, attribute: str) -> list[float]:
    return [float(node.get(attribute, "nan")) for node in ElementTree.fromstring(svg).iter(tag)]


def test_a_curve_rises_where_the_score_does_and_names_its_points() -> None:
    line = [(1, SCORE), (64, Score("recall", 9, 10, 0.9, 0.8, 1.0))]
    svg = plots.curve("Recall", [("<ours>", line)], x_label="k", ticks=(1, 64))
    left, right = numbers(svg, "circle", "cx")
    low, high = numbers(svg, "circle", "cy")
    assert left < right
    assert low > high
    assert "&lt;ours&gt;, k = 64: 90.0 % (80.0 to 100.0)" in svg


def test_bars_are_as_long_as_their_shares() -> None:
    svg = plots.bars("Groups", [("seen", [("strict", SCORE), ("lenient", Score("x", 0, 0, None))])])
    widths = [
        float(node.get("width", "0"))
        for node in ElementTree.fromstring(svg).iter("rect")
        if node.get("class") == "fill"
    ]
    tracks = [
        float(node.get("width", "0"))
        for node in ElementTree.fromstring(svg).iter("rect")
        if node.get("class") == "band"
    ]
    assert widths == [pytest.approx(0.7 * tracks[0], abs=0.1)]
    assert "none" in svg


def test_the_tallest_bar_of_a_histogram_has_the_highest_count() -> None:
    heights = numbers(plots.histogram("Counts", [("1", 5), ("2", 10)], x_label="n"), "rect", "height")
    assert heights[1] == pytest.approx(2 * heights[0], abs=0.1)


def test_a_calibrated_bin_lies_on_the_diagonal() -> None:
    svg = plots.reliability("Reliability", [Bin(10, 0.5, 0.5)])
    (line,) = [node for node in ElementTree.fromstring(svg).iter("line") if node.get("class") == "ideal"]
    ends = [float(line.get(name, "nan")) for name in ("x1", "x2", "y1", "y2")]
    assert numbers(svg, "circle", "cx") == [pytest.approx((ends[0] + ends[1]) / 2, abs=0.1)]
    assert numbers(svg, "circle", "cy") == [pytest.approx((ends[2] + ends[3]) / 2, abs=0.1)]


def test_nothing_to_show_is_said() -> None:
    assert "nothing to show" in plots.histogram("Counts", [], x_label="n")
    assert "nothing to show" in plots.curve("Recall", [("a", [])], x_label="k", ticks=(1, 64))
    assert plots.gauge(Score("x", 0, 0, None)) == ""
