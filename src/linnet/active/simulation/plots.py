"""Plots of learning curves: a row per corpus, a column per score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from linnet.active.simulation.curves import Curve, Effort
from linnet.io.files import replacing

__all__ = ["draw"]

_MARKERS = "osD^vP*X"


def draw(
    path: Path,
    corpora: Sequence[tuple[str, Sequence[Curve]]],
    *,
    effort: Effort,
    titles: Mapping[str, str],
    baseline: str,
) -> None:
    """Plot the mean over seeds ± a standard deviation, from the first batch; a dotted line marks the baseline's final score.

    titles  of the scores to plot

    Points are at the mean effort of a batch.
    """
    rows, columns = len(corpora), len(titles)
    figure = Figure(figsize=(4.2 * columns, 3.3 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, squeeze=False)
    for row, (corpus, curves) in zip(panels, corpora, strict=True):
        names = list(dict.fromkeys(curve.strategy for curve in curves))
        for panel, (score, title) in zip(row, titles.items(), strict=True):
            for number, name in enumerate(names):
                own = [curve for curve in curves if curve.strategy == name]
                efforts = np.mean([curve.effort(effort)[1:] for curve in own], axis=0)
                heights = 100 * np.stack([curve.scores[score][1:] for curve in own])
                mean, spread = heights.mean(axis=0), heights.std(axis=0)
                colour = "0.35" if name == baseline else f"C{number}"
                marker = _MARKERS[number % len(_MARKERS)]
                panel.plot(efforts, mean, marker=marker, markersize=4, color=colour, label=name)
                panel.fill_between(
                    efforts, mean - spread, mean + spread, color=colour, alpha=0.15, linewidth=0
                )
                if name == baseline:
                    panel.axhline(mean[-1], color=colour, linestyle=":", linewidth=1)
            panel.set_title(f"{corpus}: {title}", fontsize="medium")
            panel.set_xlabel(f"{effort} annotated")
            panel.set_ylabel("%")
            panel.grid(alpha=0.3)
            panel.spines[["top", "right"]].set_visible(False)
        row[0].legend(loc="lower right", fontsize="small")
    with replacing(path) as draft:
        figure.savefig(draft, format="png", dpi=110)
