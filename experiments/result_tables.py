"""What the experiments' tables have in common: Markdown, shares and F1 with intervals over documents, paired comparisons."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from linnet.evaluate.interval import bootstrap, by_document
from linnet.evaluate.significance import mcnemar, paired_bootstrap

Array = np.ndarray[Any, np.dtype[Any]]

__all__ = [
    "Array",
    "Right",
    "compared",
    "left_out",
    "machine",
    "markdown",
    "percent",
    "recognition",
    "share",
    "spread",
]


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; the first column to the left, the others to the right."""
    lines = [list(map(str, row)) for row in rows]
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in [list(head), rule, *lines]) + "\n"


def percent(value: float) -> str:
    """One decimal, without the sign."""
    return f"{100 * value:.1f}"


def share(right: Array, documents: Sequence[str]) -> str:
    """Mean and its 95 % bootstrap interval over documents. `right` may be a mean over seeds."""
    sums = by_document(documents, right.astype(float), np.ones(len(right)))
    limits = bootstrap(sums, lambda totals: totals[:, 0] / totals[:, 1])
    between = f" ({percent(limits[0])} to {percent(limits[1])})" if limits else ""
    return percent(float(right.mean())) + between


def spread(values: Sequence[float]) -> str:
    """Mean ± standard deviation over seeds."""
    deviation = f" ± {100 * np.std(values, ddof=1):.1f}" if len(values) > 1 else ""
    return percent(float(np.mean(values))) + deviation


def recognition(counts: Array) -> list[str]:
    """Precision, recall, and F1 with its 95 % bootstrap interval over documents.

    counts  (documents, 3) mentions found rightly, found, and of the gold
    """
    right, found, gold = counts.sum(axis=0)
    limits = bootstrap(counts, _f1)
    between = f" ({percent(limits[0])} to {percent(limits[1])})" if limits else ""
    total = float(_f1(counts.sum(axis=0, keepdims=True))[0])
    return [percent(right / found), percent(right / gold), percent(total) + between]


def _f1(sums: Array) -> Array:
    """(S,) F1 of (S, 3) mentions found rightly, found, and of the gold."""
    return 2 * sums[:, 0] / np.maximum(sums[:, 1] + sums[:, 2], 1)


def compared(first: Array, second: Array, documents: Sequence[str]) -> str:
    """Difference of two systems, its 95 % paired bootstrap interval, and McNemar's p.

    first, second  (seeds, mentions) of truth values; the difference is of means over seeds, McNemar's test of the first seed
    """
    one, other = first.mean(axis=0), second.mean(axis=0)
    difference = paired_bootstrap(one.tolist(), other.tolist(), documents)
    test = mcnemar(first[0].tolist(), second[0].tolist())
    between = (
        ""
        if difference.low is None or difference.high is None
        else f" ({100 * difference.low:+.1f} to {100 * difference.high:+.1f})"
    )
    p = "p < 0.001" if test.p < 0.001 else f"p = {test.p:.3f}"
    return f"{100 * difference.value:+.1f}{between}, {p}"


@dataclass(frozen=True)
class Right:
    """Which mentions a system has right: a cell of a table.

    flags      (seeds, mentions) of truth values
    documents  (mentions,)
    """

    flags: Array
    documents: Sequence[str]

    def of(self, chosen: Any) -> Right:
        """Some mentions: a mask or their places."""
        places = np.flatnonzero(chosen) if np.asarray(chosen).dtype == bool else np.asarray(chosen, np.int64)
        return Right(self.flags[:, places], [self.documents[place] for place in places])

    def __str__(self) -> str:
        """`share` of the mean over seeds, ± the deviation over several; nothing of no mention."""
        if not self.flags.size:
            return ""
        deviation = spread(self.flags.mean(axis=1).tolist()).partition("±")[2]
        return self.share + (f" ±{deviation}" if deviation else "")

    @property
    def share(self) -> str:
        """`share` of the mean over seeds."""
        return share(self.flags.mean(axis=0), self.documents)

    def __sub__(self, other: Right) -> str:
        """`compared`, with as many seeds of the other as there are of this; nothing of no mention."""
        return compared(self.flags, other.flags[: len(self.flags)], self.documents) if self.flags.size else ""

    @property
    def mean(self) -> str:
        """In per cent."""
        return percent(float(self.flags.mean()))


def left_out(counts: Mapping[str, int]) -> str:
    """How many mentions do not count, and why."""
    return "; ".join(f"{count:,} {why}" for why, count in counts.items() if count)


def machine() -> str:
    """Processor, cores and versions that figures of time depend on."""
    import torch

    model = next(
        (line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor() or platform.machine(),
    )
    return (
        f"{model}, {len(os.sched_getaffinity(0))} cores; Python {platform.python_version()}, "
        f"PyTorch {torch.__version__}"
    )


def _lines(path: str) -> list[str]:
    file = Path(path)
    return file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
