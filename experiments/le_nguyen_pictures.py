"""The pictures of the Le & Nguyen experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from le_nguyen_frame import KS, short
from le_nguyen_tables import Tables
from paper_corpora import TITLES
from result_tables import markdown, percent

from linnet.terminology import Terminology
from linnet.train.clusters import LinkedCandidates

__all__ = ["pictured", "pictures"]

COLOURS = ("#4477AA", "#EE6677", "#228833", "#AA7700", "#66CCEE", "#AA3377", "#777777", "#000000")


def pictured(dev: LinkedCandidates) -> np.ndarray[Any, Any]:
    """Mentions of the concepts in the MDS picture: the eight with the most distinct texts, at most 15 mentions of each."""
    texts: dict[int, set[str]] = {}
    for gold, context in zip(dev.gold.tolist(), dev.contexts, strict=True):
        texts.setdefault(gold, set()).add(context.text)
    chosen = sorted(texts, key=lambda concept: (-len(texts[concept]), concept))[: len(COLOURS)]
    return np.concatenate([np.flatnonzero(dev.gold == concept)[:15] for concept in chosen])


def pictures(tables: Tables, folder: Path, corpus: str, kinds: Sequence[str]) -> str:
    """Write the pictures; returns the table of the mean distances that the one of vectors shows.

    corpus, kinds  whose vectors of dense retrieval are shown
    """
    import matplotlib

    matplotlib.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    _histogram(tables, folder / "le-nguyen-mentions.png")
    _recall(tables, folder / "le-nguyen-recall.png")
    return _scaling(tables, folder / "le-nguyen-mds.png", corpus, kinds)


def _axes(tables: Tables, **options: Any) -> tuple[Any, Any]:
    """A figure with a place for each corpus."""
    import matplotlib.pyplot as plt

    count = len(tables.plan.corpora)
    figure, axes = plt.subplots(1, count, figsize=(4 * count, 3), squeeze=False, **options)
    return figure, axes[0]


def _histogram(tables: Tables, file: Path) -> None:
    """Figure 3."""
    figure, axes = _axes(tables)
    for axis, corpus in zip(axes, tables.plan.corpora, strict=True):
        gold = np.concatenate([part.gold for part in tables.learnt((corpus, "dense"))])
        counts = Counter(Counter(gold.tolist()).values())
        sizes = [size for size in sorted(counts) if size <= 50]
        axis.bar(sizes, [counts[size] for size in sizes], width=0.85, color=COLOURS[0])
        axis.set(title=TITLES[corpus], xlabel="training mentions of a concept", yscale="log", xlim=(0, 51))
        more = sum(count for size, count in counts.items() if size > 50)
        where: dict[str, Any] = {"transform": axis.transAxes, "ha": "right", "va": "top", "fontsize": 8}
        axis.text(0.97, 0.95, f"{more} concepts have more than 50", **where)
    axes[0].set_ylabel("concepts")
    _finish(figure, file)


def _recall(tables: Tables, file: Path) -> None:
    """Table 2 as a picture."""
    figure, axes = _axes(tables, sharey=True)
    for axis, corpus in zip(axes, tables.plan.corpora, strict=True):
        for retrieval, colour, mark in zip(tables.plan.seeds, COLOURS, "os", strict=False):
            dev = tables.dev((corpus, retrieval))
            values = [100 * dev.recall(k) for k in KS]
            axis.plot(KS, values, color=colour, marker=mark, label=retrieval)
        axis.set(title=TITLES[corpus], xlabel="candidates", xscale="log")
        axis.set_xticks(KS, [str(k) for k in KS])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("recall, %")
    axes[0].legend(frameon=False)
    _finish(figure, file)


def _scaling(tables: Tables, file: Path, corpus: str, kinds: Sequence[str]) -> str:
    """Figure 4."""
    import matplotlib.pyplot as plt
    from sklearn.manifold import MDS

    dev = tables.dev((corpus, "dense"))
    gold = dev.gold[pictured(dev)]
    concepts = list(dict.fromkeys(gold.tolist()))
    number = np.array([concepts.index(concept) for concept in gold.tolist()])
    terminology = Terminology.open(tables.plan.terminology(corpus))
    figure, axes = plt.subplots(1, len(kinds), figsize=(5.2 * len(kinds), 5.4), squeeze=False)
    rows = []
    for axis, kind in zip(axes[0], kinds, strict=True):
        arrays = tables.plan.kept.arrays(*tables.runs((corpus, "dense"), kind)[0])
        stars = arrays["entities"][[int(np.flatnonzero(number == i)[0]) for i in range(len(concepts))]]
        dots = arrays["shown"]
        options: dict[str, Any] = {"normalized_stress": "auto", "init": "random", "random_state": 0}
        flat = MDS(n_components=2, n_init=4, max_iter=500, **options).fit_transform(
            np.concatenate([stars, dots])
        )
        for i, concept in enumerate(concepts):
            own = flat[len(concepts) :][number == i]
            axis.scatter(own[:, 0], own[:, 1], s=22, color=COLOURS[i], alpha=0.75, linewidths=0)
            axis.scatter(
                flat[i, 0], flat[i, 1], s=190, marker="*", color=COLOURS[i], edgecolors="white",
                linewidths=0.8, label=terminology.name(int(concept)), zorder=3,
            )  # fmt: skip
        axis.set(title=short(kind), xticks=[], yticks=[], aspect="equal")
        away = np.linalg.norm(dots[:, None] - stars[None], axis=2)
        own = away[np.arange(len(dots)), number].copy()
        away[np.arange(len(dots)), number] = np.inf
        other = away.min(1)
        rows.append((short(kind), f"{own.mean():.2f}", f"{other.mean():.2f}", percent((own < other).mean())))
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=4, frameon=False, fontsize=8)
    _finish(figure, file, bottom=0.13)
    columns = ("mean distance to the own concept", "to the nearest other shown", "nearer to the own, %")
    return markdown(("objective", *columns), rows)


def _finish(figure: Any, file: Path, *, bottom: float = 0.0) -> None:
    figure.tight_layout(rect=(0, bottom, 1, 1))
    figure.savefig(file, dpi=130, bbox_inches="tight")
