"""Small plots as inline SVG, without library or script. Colours come from the page's style sheet.

Each function returns one `<svg>` with a title and a description for screen readers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from math import ceil, log, sqrt

from linnet.evaluate.calibration import Bin
from linnet.evaluate.score import Score

__all__ = ["bars", "curve", "gauge", "histogram", "reliability"]

_WIDTH, _HEIGHT = 440, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 14, 42
_CLASSES = ("one", "two")


def curve(
    title: str,
    series: Sequence[tuple[str, Sequence[tuple[int, Score]]]],
    *,
    x_label: str,
    ticks: Sequence[int],
) -> str:
    """Shares over k on a logarithmic axis, with intervals as bands; at most two series."""
    points = [(k, s) for _, line in series for k, s in line if s.value is not None]
    if not points:
        return _empty(title)
    low = min((s.value or 0.0) if s.low is None else s.low for _, s in points)
    floor = max(0.0, int(low * 10 - 0.2) / 10)
    last = log(max(ticks))

    def x(k: int) -> float:
        return _LEFT + log(k) / last * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (1 - value) / (1 - floor) * (_HEIGHT - _TOP - _BOTTOM)

    elements = [_y_axis(floor, y), _x_ticks([(x(k), str(k)) for k in ticks], x_label)]
    for style, (label, line) in zip(_CLASSES, series, strict=False):
        values = [(k, s, s.value) for k, s in line if s.value is not None]
        upper = [f"{x(k):.1f},{y(v if s.high is None else s.high):.1f}" for k, s, v in values]
        lower = [f"{x(k):.1f},{y(v if s.low is None else s.low):.1f}" for k, s, v in reversed(values)]
        path = " ".join(f"{x(k):.1f},{y(v):.1f}" for k, _, v in values)
        dots = "".join(
            f'<circle class="fill" cx="{x(k):.1f}" cy="{y(v):.1f}" r="3.4">'
            f"<title>{escape(f'{label}, k = {k}: {_in_words(s)}')}</title></circle>"
            for k, s, v in values
        )
        elements.append(
            f'<g class="{style}"><polygon class="band" points="{" ".join(upper + lower)}"/>'
            f'<polyline class="stroke" points="{path}"/>{dots}</g>'
        )
    description = "; ".join(
        f"{label}: " + ", ".join(f"{k} {_in_words(s)}" for k, s in line) for label, line in series
    )
    return _svg(title, description, _HEIGHT, "".join(elements))


def reliability(title: str, bins: Sequence[Bin]) -> str:
    """Share of right answers over mean probability, per bin; area by mentions; the diagonal is ideal."""
    side = _HEIGHT - _TOP - _BOTTOM
    wide = _WIDTH - _LEFT - _RIGHT
    most = max((b.count for b in bins), default=1)

    def x(value: float) -> float:
        return _LEFT + value * wide

    def y(value: float) -> float:
        return _TOP + (1 - value) * side

    dots = "".join(
        f'<circle class="fill" opacity=".8" cx="{x(b.probability):.1f}" cy="{y(b.accuracy):.1f}" '
        f'r="{2.5 + 5.5 * sqrt(b.count / most):.1f}"><title>'
        f"{b.count:,} mentions: probability {b.probability:.2f}, right {b.accuracy:.2f}</title></circle>"
        for b in bins
    )
    body = (
        _y_axis(0.0, y)
        + _x_ticks([(x(v), f"{100 * v:.0f}") for v in (0, 0.25, 0.5, 0.75, 1)], "probability given, %")
        + f'<line class="ideal" x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}"/><g class="one">{dots}</g>'
    )
    description = ", ".join(
        f"probability {b.probability:.2f} right {b.accuracy:.2f} ({b.count})" for b in bins
    )
    return _svg(title, description, _HEIGHT, body)


def histogram(title: str, counts: Sequence[tuple[str, int]], *, x_label: str) -> str:
    """Vertical bars with their counts on top."""
    most = max((count for _, count in counts), default=0)
    if not most:
        return _empty(title)
    step = (_WIDTH - _RIGHT - _RIGHT) / len(counts)
    base, tall = _HEIGHT - _BOTTOM, _HEIGHT - _TOP - _BOTTOM - 16
    elements = [f'<line class="axis" x1="{_RIGHT}" y1="{base}" x2="{_WIDTH - _RIGHT}" y2="{base}"/>']
    for position, (_, count) in enumerate(counts):
        middle, height = _RIGHT + step * (position + 0.5), tall * count / most
        elements.append(
            f'<rect class="fill" x="{middle - step * 0.36:.1f}" y="{base - height:.1f}" width="{step * 0.72:.1f}" '
            f'height="{height:.1f}" rx="2"/><text class="strong" x="{middle:.1f}" y="{base - height - 5:.1f}" '
            f'text-anchor="middle">{count:,}</text>'
        )
    labels = [(_RIGHT + step * (i + 0.5), label) for i, (label, _) in enumerate(counts)]
    elements.append(_x_ticks(labels, x_label, left=_RIGHT))
    description = ", ".join(f"{label}: {count}" for label, count in counts)
    return _svg(title, description, _HEIGHT, f'<g class="one">{"".join(elements)}</g>')


def bars(title: str, groups: Sequence[tuple[str, Sequence[tuple[str, Score]]]]) -> str:
    """Grouped horizontal bars from 0 to 100 %, with intervals as whiskers; each label is above its group."""
    thick, gap, head = 15, 5, 22
    wide = _WIDTH - 2 * _RIGHT - 52
    elements, top = [], 4
    for label, row in groups:
        count = max((s.denominator for _, s in row), default=0)
        elements.append(
            f'<text class="strong" x="{_RIGHT}" y="{top + 14}">{escape(label)}'
            f'<tspan fill-opacity=".65" dx="6">{count:,.0f} mentions</tspan></text>'
        )
        top += head
        for style, (name, score) in zip(_CLASSES, row, strict=False):
            elements.append(f'<g class="{style}">{_bar(name, score, top, thick, wide)}</g>')
            top += thick + gap
        top += 8
    description = "; ".join(
        f"{label}: " + ", ".join(f"{n} {_in_words(s)}" for n, s in row) for label, row in groups
    )
    return _svg(title, description, top, "".join(elements))


def gauge(score: Score) -> str:
    """A thin strip from 0 to 100 % with the value and its interval; hidden from screen readers."""
    if score.value is None:
        return ""
    low, high = (score.value if limit is None else limit for limit in (score.low, score.high))
    return (
        '<svg viewBox="0 0 200 14" preserveAspectRatio="none" aria-hidden="true" class="one">'
        '<line class="grid" x1="0" y1="7" x2="200" y2="7" stroke-width="4"/>'
        f'<rect class="band" x="{200 * low:.1f}" y="1" width="{max(1.5, 200 * (high - low)):.1f}" height="12"/>'
        f'<rect class="fill" x="{min(197.5, max(0.0, 200 * score.value - 1.25)):.1f}" y="0" width="2.5" height="14"/></svg>'
    )


def _bar(name: str, score: Score, top: float, thick: float, wide: float) -> str:
    middle = top + thick / 2
    track = f'<rect x="{_RIGHT}" y="{top}" width="{wide}" height="{thick}" rx="2" class="band"/>'
    if score.value is None:
        return track + f'<text x="{_RIGHT + 6}" y="{top + 12}">none</text>'
    bar = f'<rect class="fill" x="{_RIGHT}" y="{top}" width="{wide * score.value:.1f}" height="{thick}" rx="2"/>'
    if score.low is not None and score.high is not None:
        a, b = (_RIGHT + wide * limit for limit in (score.low, score.high))
        tips = "".join(f"M{at:.1f} {middle - 4}v8" for at in (a, b))
        bar += f'<path class="whisker" d="{tips}M{a:.1f} {middle}H{b:.1f}"/>'
    value = f'<text class="strong" x="{_RIGHT + wide + 8}" y="{top + 12}">{100 * score.value:.1f}</text>'
    return f"<g>{track}{bar}{value}<title>{escape(f'{name}: {_in_words(score)}')}</title></g>"


def _y_axis(floor: float, y: Callable[[float], float]) -> str:
    steps = 5 if ceil((1 - floor) * 10) > 5 else max(1, ceil((1 - floor) * 10))
    elements = []
    for i in range(steps + 1):
        value = floor + (1 - floor) * i / steps
        elements.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>'
            f'<text x="{_LEFT - 7}" y="{y(value) + 4:.1f}" text-anchor="end">{100 * value:.0f}</text>'
        )
    return "".join(elements)


def _x_ticks(ticks: Sequence[tuple[float, str]], label: str, *, left: float = _LEFT) -> str:
    base = _HEIGHT - _BOTTOM
    places = [(at, 17, text) for at, text in ticks]
    places.append(((left + _WIDTH - _RIGHT) / 2, 36, label))
    return "".join(
        f'<text x="{at:.1f}" y="{base + below}" text-anchor="middle">{escape(text)}</text>'
        for at, below, text in places
    )


def _in_words(score: Score) -> str:
    if score.value is None:
        return "none"
    text = f"{100 * score.value:.1f} %"
    if score.low is None or score.high is None:
        return text
    return f"{text} ({100 * score.low:.1f} to {100 * score.high:.1f})"


def _svg(title: str, description: str, height: float, body: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height:g}" role="img" aria-label="{escape(title)}">'
        f"<desc>{escape(description)}</desc>{body}</svg>"
    )


def _empty(title: str) -> str:
    return _svg(title, "nothing to show", 40, '<text x="14" y="24">nothing to show</text>')
