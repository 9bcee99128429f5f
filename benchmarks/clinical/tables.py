"""The figures as Markdown tables, by name: a row for each system, or a column for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.clinical.figures import CLASSES
from benchmarks.clinical.intervals import difference, f1

__all__ = ["BEFORE", "NOW", "met_or_not", "share", "tables", "with_interval"]

Figures = Mapping[str, Any]
Cell = Callable[[Figures], str]
BEFORE, NOW = "before", "now"
_WANTED = {"all": 9, "Disease": 9, "Chemical": 6}  # points more than before
_KINDS = {"all": "all mentions", "Disease": "diseases", "Chemical": "chemicals"}


def tables(results: Mapping[str, Figures]) -> dict[str, str]:
    """The tables of these systems; those without rows are left out."""
    blocks = {name: _block(name, rows, results) for name, rows in _rows(results).items() if rows}
    blocks["weak"] = _weak(results)
    if BEFORE in results and NOW in results:
        blocks["gains"] = _gains(results)
    return blocks


def _weak(results: Mapping[str, Figures]) -> str:
    lines = ["| | weak F1 | precision | recall | strong F1 |", "|---|---:|---:|---:|---:|"]
    for kind, title in _KINDS.items():
        for name, system in results.items():
            own = system["end to end"][kind]
            cells = [
                with_interval(f1(own["counts"])),
                f"{own['weak']['precision']:.1f}",
                f"{own['weak']['recall']:.1f}",
                f"{own['strong']['F1']:.1f}",
            ]
            lines.append(f"| {title}, {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _gains(results: Mapping[str, Figures]) -> str:
    lines = ["| | weak F1, points more than before | wanted | met |", "|---|---:|---:|---:|"]
    for kind, title in _KINDS.items():
        gain = difference(*(results[name]["end to end"][kind]["counts"] for name in (NOW, BEFORE)))
        met = met_or_not(gain[0] >= _WANTED[kind])
        lines.append(f"| {title} | {with_interval(gain, signed=True)} | ≥ {_WANTED[kind]} | {met} |")
    return "\n".join(lines) + "\n"


def met_or_not(is_met: bool) -> str:
    """Whether a goal is met, for a table."""
    return "yes" if is_met else "**no**"


def with_interval(values: tuple[float, float, float], *, signed: bool = False) -> str:
    """A value with its interval, as `tools/forest_plots.py` reads it."""
    value, low, high = (f"{v:+.1f}" if signed else f"{v:.1f}" for v in values)
    return f"{value} ({low} to {high})"


def _block(title: str, rows: Mapping[str, Cell], results: Mapping[str, Figures]) -> str:
    lines = [f"| {title} | " + " | ".join(results) + " |", "|---|" + "---:|" * len(results)]
    for row, cell in rows.items():
        lines.append(f"| {row} | " + " | ".join(cell(system) for system in results.values()) + " |")
    return "\n".join(lines) + "\n"


def _rows(results: Mapping[str, Figures]) -> dict[str, dict[str, Cell]]:
    first = next(iter(results.values()))
    whole = {
        f"{kind}, {match} F1 (precision, recall)": _cell(_f1, "end to end", kind, match)
        for kind in _KINDS
        for match in ("weak", "strong")
    }
    whole |= {
        "equal spans, F1": _cell(_f1, "end to end", "spans"),
        "precision at probability ≥ 0.9": _cell(share, "end to end", "sure"),
        "calibration error": _cell(_error, "end to end", "calibration error"),
    }
    return {
        "end to end": whole,
        "given": {kind: _cell(share, "given", kind) for kind in (*_KINDS, "NIL")},
        "classes": {c: _cell(share, "end to end", "classes", c) for c in CLASSES},
        "given classes": {c: _cell(share, "given", "classes", c) for c in CLASSES},
        "traps": {kind: _cell(share, "traps", kind) for kind in first["traps"]},
        "assertion": {name: _cell(_f1, "assertion", name) for name in first["assertion"]},
        "dictated": {kind: _cell(share, "dictated", kind) for kind in first["dictated"]},
    }


def _cell(show: Callable[[Any], str], *path: str) -> Cell:
    def cell(figures: Figures) -> str:
        value: Any = figures
        for key in path:
            value = value.get(key)
            if value is None:
                return "–"
        return show(value)

    return cell


def _f1(figures: Mapping[str, float]) -> str:
    if not figures["found"]:
        return "–"
    return f"{figures['F1']:.1f} ({figures['precision']:.1f}, {figures['recall']:.1f})"


def share(fraction: list[int]) -> str:
    """A share in per cent, with its counts."""
    right, total = fraction
    return f"{100 * right / total:.1f} ({right} of {total})" if total else "–"


def _error(error: Mapping[str, float]) -> str:
    return f"{error['error']:.3f} ({error['low']:.3f} to {error['high']:.3f})"
