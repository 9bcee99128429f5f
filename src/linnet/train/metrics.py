"""The course of a run: metrics.csv, a row for each evaluation, and metrics.png, its plot."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from linnet.io.files import replacing

__all__ = ["FIRST_COLUMNS", "Row", "append_row", "draw_metrics", "write_rows"]

# step           batches so far
# seconds        of training and evaluation so far, over all sessions
# learning_rate  of the first parameter group, in the last batch
# loss           mean since the previous row; empty before the first batch
FIRST_COLUMNS = ("step", "seconds", "learning_rate", "loss")

Row = Mapping[str, float]
"""Column → value; an absent value is an empty cell. After `FIRST_COLUMNS` come the task's scores."""


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write the file again, as a resumed run does: steps after its checkpoint are trained again."""
    with replacing(path) as draft, draft.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        if rows:
            writer.writerow(_columns(rows[0]))
        writer.writerows(_cells(row) for row in rows)


def append_row(path: Path, row: Row) -> None:
    """Add a row, and the header if the file is new or empty."""
    fresh = not path.exists() or path.stat().st_size == 0
    with path.open("a", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        if fresh:
            writer.writerow(_columns(row))
        writer.writerow(_cells(row))


def draw_metrics(path: Path, rows: Sequence[Row], *, title: str, best: int | None = None) -> None:
    """Plot loss (above) and scores (below) by step; a line marks the best step."""
    scores = [name for name in _columns(rows[0]) if name not in FIRST_COLUMNS]
    figure = Figure(figsize=(7, 6 if scores else 3.5), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(2 if scores else 1, 1, sharex=True, squeeze=False)[:, 0]
    losses = [(row["step"], row["loss"]) for row in rows if "loss" in row]
    marker = "o" if len(rows) <= 40 else ""
    panels[0].plot(
        *zip(*losses, strict=True) if losses else ((), ()), color="0.25", marker=marker, markersize=3
    )
    panels[0].set_ylabel("training loss")
    panels[0].set_title(title)
    for name in scores:
        points = [(row["step"], row[name]) for row in rows if name in row]
        panels[1].plot(*zip(*points, strict=True), label=name, marker=marker, markersize=3)
    if scores:
        panels[1].set_ylabel("development score")
        panels[1].legend(loc="lower right", fontsize="small")
    for panel in panels:
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        if best is not None:
            panel.axvline(best, color="0.6", linestyle="--", linewidth=1)
    panels[-1].set_xlabel("step" if best is None else f"step (dashed: best, {best:,})")
    panels[-1].xaxis.set_major_locator(MaxNLocator(integer=True))
    with replacing(path) as draft:
        figure.savefig(draft, format="png", dpi=120)


def _columns(row: Row) -> list[str]:
    return [*FIRST_COLUMNS, *(name for name in row if name not in FIRST_COLUMNS)]


def _cells(row: Row) -> list[str]:
    return [_cell(row.get(name)) for name in _columns(row)]


def _cell(value: float | None) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.6g}"
