"""The figures as Markdown tables, one column a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.clinical.figures import CLASSES

__all__ = ["tables"]

Figures = Mapping[str, Any]
Cell = Callable[[Figures], str]
_KINDS = ("all", "Disease", "Chemical")


def tables(results: Mapping[str, Figures]) -> str:
    """All tables that have rows, with a blank line after each."""
    blocks = [_block(title, rows, results) for title, rows in _rows(results).items() if rows]
    return "\n".join(blocks)


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
        "precision at probability ≥ 0.9": _cell(_percent, "end to end", "sure"),
        "calibration error": _cell(_error, "end to end", "calibration error"),
    }
    return {
        "end to end": whole,
        "right, given the mention": {kind: _cell(_percent, "given", kind) for kind in (*_KINDS, "NIL")},
        "right end to end, by class": {c: _cell(_percent, "end to end", "classes", c) for c in CLASSES},
        "right given the mention, by class": {c: _cell(_percent, "given", "classes", c) for c in CLASSES},
        "traps linked": {kind: _cell(_percent, "traps", kind) for kind in first["traps"]},
        "assertion F1, mentions given": {name: _cell(_f1, "assertion", name) for name in first["assertion"]},
        "dictated notes, recall": {kind: _cell(_percent, "dictated", kind) for kind in first["dictated"]},
    }


def _cell(show: Callable[[Any], str], *path: str) -> Cell:
    def cell(figures: Figures) -> str:
        value: Any = figures
        for key in path:
            value = value[key]
        return show(value)

    return cell


def _f1(figures: Mapping[str, float]) -> str:
    return (
        f"{figures['F1']:.1f} ({figures['precision']:.1f}, {figures['recall']:.1f})"
        if figures["found"]
        else "–"
    )


def _percent(fraction: list[int]) -> str:
    right, total = fraction
    return f"{100 * right / total:.1f} ({right} of {total})" if total else "–"


def _error(error: Mapping[str, float] | None) -> str:
    return f"{error['error']:.3f} ({error['low']:.3f} to {error['high']:.3f})" if error else "–"
