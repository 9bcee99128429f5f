"""The pictures of the Le & Nguyen experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from le_nguyen_titles import COLOURS, KS, SHORT, TITLES
from result_tables import markdown, percent

from linnet.terminology import Terminology
from linnet.train.clusters import LinkedCandidates

if TYPE_CHECKING:
    from le_nguyen_report import Report

__all__ = ["histogram", "pictured", "recall_picture", "scaling"]


def pictured(dev: LinkedCandidates) -> np.ndarray[Any, Any]:
    """Mentions of the concepts in the MDS picture: the eight with the most distinct texts, at most 15 mentions of each."""
    texts: dict[int, set[str]] = {}
    for gold, context in zip(dev.gold.tolist(), dev.contexts, strict=True):
        texts.setdefault(gold, set()).add(context.text)
    chosen = sorted(texts, key=lambda concept: (-len(texts[concept]), concept))[: len(COLOURS)]
    return np.concatenate([np.flatnonzero(dev.gold == concept)[:15] for concept in chosen])


def histogram(report: Report, file: Path) -> None:
    """Figure 3."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, len(report.plan.corpora), figsize=(4 * len(report.plan.corpora), 3), squeeze=False
    )
    for axis, corpus in zip(axes[0], report.plan.corpora, strict=True):
        parts = report.found(corpus, "dense")
        counts = Counter(Counter(np.concatenate([parts.train.gold, parts.held.gold]).tolist()).values())
        sizes = [size for size in sorted(counts) if size <= 50]
        axis.bar(sizes, [counts[size] for size in sizes], width=0.85, color=COLOURS[0])
        axis.set(title=TITLES[corpus], xlabel="training mentions of a concept", yscale="log", xlim=(0, 51))
        more = sum(count for size, count in counts.items() if size > 50)
        axis.text(
            0.97,
            0.95,
            f"{more} concepts have more than 50",
            transform=axis.transAxes,
            ha="right",
            va="top",
            fontsize=8,
        )
    axes[0, 0].set_ylabel("concepts")
    _finish(figure, file)


def recall_picture(report: Report, file: Path) -> None:
    """Table 2 as a picture."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, len(report.plan.corpora), figsize=(4 * len(report.plan.corpora), 3), sharey=True, squeeze=False
    )
    for axis, corpus in zip(axes[0], report.plan.corpora, strict=True):
        for retrieval, colour, mark in zip(report.plan.seeds, COLOURS, "os", strict=False):
            dev = report.found(corpus, retrieval).dev
            values = [100 * dev.recall(k) for k in KS]
            axis.plot(KS, values, color=colour, marker=mark, label=retrieval)
        axis.set(title=TITLES[corpus], xlabel="candidates", xscale="log")
        axis.set_xticks(KS, [str(k) for k in KS])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("recall, %")
    axes[0, 0].legend(frameon=False)
    _finish(figure, file)


def scaling(report: Report, file: Path, corpus: str, kinds: Sequence[str]) -> str:
    """Figure 4; returns the mean distances it shows."""
    import matplotlib.pyplot as plt
    from sklearn.manifold import MDS

    dev = report.found(corpus, "dense").dev
    numbers = pictured(dev)
    gold = dev.gold[numbers]
    concepts = list(dict.fromkeys(gold.tolist()))
    terminology = Terminology.open(report.plan.terminology(corpus))
    figure, axes = plt.subplots(1, len(kinds), figsize=(5.2 * len(kinds), 5.4), squeeze=False)
    rows = []
    for axis, kind in zip(axes[0], kinds, strict=True):
        arrays = report.files(corpus, "dense", kind)[0]
        first = [int(np.flatnonzero(gold == concept)[0]) for concept in concepts]
        stars, dots = arrays["entities"][first], arrays["shown"]
        everything = np.concatenate([stars, dots])
        scaling = MDS(
            n_components=2,
            random_state=0,
            n_init=4,
            max_iter=500,
            normalized_stress="auto",
            init="random",
        )
        flat = scaling.fit_transform(everything)
        for i, concept in enumerate(concepts):
            own = flat[len(concepts) :][gold == concept]
            axis.scatter(own[:, 0], own[:, 1], s=22, color=COLOURS[i], alpha=0.75, linewidths=0)
            axis.scatter(
                flat[i, 0], flat[i, 1], s=190, marker="*", color=COLOURS[i], edgecolors="white",
                linewidths=0.8, label=terminology.name(int(concept)), zorder=3,
            )  # fmt: skip
        axis.set(title=SHORT[kind], xticks=[], yticks=[], aspect="equal")
        number = np.array([concepts.index(concept) for concept in gold.tolist()])
        own = np.linalg.norm(dots - stars[number], axis=1)
        others = np.linalg.norm(dots[:, None] - stars[None], axis=2)
        others[np.arange(len(dots)), number] = np.inf
        rows.append(
            (
                SHORT[kind],
                f"{own.mean():.2f}",
                f"{others.min(1).mean():.2f}",
                percent((own < others.min(1)).mean()),
            )
        )
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=4, frameon=False, fontsize=8)
    _finish(figure, file, bottom=0.13)
    head = (
        "objective",
        "mean distance to the own concept",
        "to the nearest other shown",
        "nearer to the own, %",
    )
    return markdown(head, rows)


def _finish(figure: Any, file: Path, *, bottom: float = 0.0) -> None:
    figure.tight_layout(rect=(0, bottom, 1, 1))
    figure.savefig(file, dpi=130, bbox_inches="tight")
