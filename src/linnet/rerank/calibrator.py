"""From scores to the probability that a link is right: isotonic regression on held-out links, stored as a table.

A calibrator has a curve for each kind of score:

    retrieved  the best candidate's score from retrieval
    reranked   the best candidate's score from the reranker
    set        the probability of a composite's concepts as `linnet.link.decisions` computes it without this curve
    composite  of calibrators made before 1.1; no longer used

and, unless it was made before 2.1, a model of how sure literal names are, see `linnet.rerank.literal_names`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.advice import Step
from linnet.arrays import Doubles
from linnet.errors import DamagedError, RequestError, StoreError
from linnet.io import artifact
from linnet.rerank.literal_names import LiteralNames
from linnet.retrieve.hits import Hits, Origin

__all__ = ["CERTAIN", "FILE", "WAYS", "Calibrator", "Curve", "fit_curve"]

FILE = "calibrator.json"
WAYS = ("retrieved", "reranked", "set", "composite")
_LITERAL = "literal names"
_TINY = 1e-6
_LEAST = 40  # links behind each step of a curve, each as far as it was surely read; fewer say little about a probability


@dataclass(frozen=True, slots=True)
class Curve:
    """A rising function: `probabilities` at ascending `scores`, linear between them, constant beyond the ends."""

    scores: tuple[float, ...]
    probabilities: tuple[float, ...]

    def at(self, scores: Any) -> Doubles:
        """(N,) probabilities."""
        return np.asarray(np.interp(scores, self.scores, self.probabilities), np.float64)


@dataclass(frozen=True, slots=True)
class Calibrator:
    """Curves by kind of score; without a curve there is no probability. Without `literal`, literal names have that of their score."""

    curves: Mapping[str, Curve] = field(default_factory=dict)
    literal: LiteralNames | None = None

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Read a JSON file, or `calibrator.json` in a model directory.

        Raises StoreError if it does not exist, DamagedError if it is not a calibrator.
        """
        file = Path(path) / FILE if Path(path).is_dir() else Path(path)
        try:
            table = json.loads(file.read_text(encoding="utf-8"))
            stored = table.pop(_LITERAL, None)
            literal = None if stored is None else LiteralNames(float(stored["bias"]), stored["weights"])
            if literal is not None and not literal.is_sound():
                raise ValueError(
                    f"'{_LITERAL}' has other facts than this linnet computes, or weights above 0"
                )
            curves = {
                way: Curve(tuple(map(float, curve["scores"])), tuple(map(float, curve["probabilities"])))
                for way, curve in table.items()
            }
            if set(curves) - set(WAYS) or not all(map(_is_sound, curves.values())):
                raise ValueError(f"expected rising curves for {', '.join(WAYS)}")
        except FileNotFoundError:
            raise StoreError(f"{file} does not exist; expected a calibrator. Check the path.") from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedError(f"{file} is not a calibrator: {error!r}.", Step.TRAIN_AGAIN()) from None
        return cls(curves, literal)

    @classmethod
    def of_model(cls, path: Path) -> Self:
        """The calibrator in a model directory, one without curves if there is none. Raises DamagedError as `open`."""
        return cls.open(path) if (path / FILE).is_file() else cls()

    def save(self, file: Path) -> None:
        """Write the JSON file."""
        table: dict[str, Any] = {
            way: {"scores": list(curve.scores), "probabilities": list(curve.probabilities)}
            for way, curve in self.curves.items()
        }
        if self.literal is not None:
            table[_LITERAL] = {"bias": self.literal.bias, "weights": dict(self.literal.weights)}
        file.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")

    @property
    def digest(self) -> str:
        """Changes whenever a probability does."""
        literal = "" if self.literal is None else repr(self.literal)
        return artifact.digest(repr(sorted(self.curves.items())) + literal)

    def probabilities(self, hits: Hits) -> list[float | None]:
        """(N,) the probability that each query's best candidate is right; None without a candidate or a curve."""
        probabilities: list[float | None] = [None] * len(hits)
        if not hits.k:
            return probabilities
        present = hits.concepts[:, 0] >= 0
        reranked = (hits.origins[:, 0] & Origin.RERANKED) > 0
        for way, mask in (("retrieved", present & ~reranked), ("reranked", present & reranked)):
            if way in self.curves:
                rows = np.flatnonzero(mask)
                values = self.curves[way].at(hits.scores[rows, 0])
                for row, value in zip(rows.tolist(), values.tolist(), strict=True):
                    probabilities[row] = round(value, 4)
        return probabilities

    def of_set(self, probability: float) -> float:
        """The probability of a composite's concepts, given the product of its parts' and of how sure the division is."""
        return float(self.curves["set"].at([probability])[0]) if "set" in self.curves else probability


CERTAIN = Calibrator({way: Curve((0.0,), (1.0,)) for way in ("retrieved", "reranked")})
"""Every candidate is right: the probability of a link is then how surely its mention was read."""


def fit_curve(
    scores: Sequence[float], right: Sequence[bool], surely_read: Sequence[float] | None = None
) -> Curve:
    """Isotonic regression of correctness on the score: pool adjacent violators, then merge to steps of at least 40 links, each counted as
    far as it was surely read.

    surely_read  probability that the mention of each link was read right, by which that of the curve is multiplied; None for 1

    Each step becomes a point at its mean score. One right and one wrong link are added to each step, which moves
    probabilities towards ½. Raises RequestError if there is no link.

    Source: Zadrozny and Elkan 2002.
    """
    if not len(scores):
        raise RequestError("No link to calibrate on. Give a corpus whose concepts the terminology has.")
    x, y = np.asarray(scores, np.float64), np.asarray(right, np.float64)
    read = np.ones_like(x) if surely_read is None else np.asarray(surely_read, np.float64)
    order = np.argsort(x, kind="stable")
    blocks: list[list[float]] = []  # count, sum of scores, sum of right, sum of surely read
    levels, first = np.unique(x[order], return_index=True)
    for level, here in zip(levels, np.split(order, first[1:]), strict=True):
        sure = max(float(read[here].sum()), _TINY)
        blocks.append([len(here), level * len(here), float(y[here].sum()), sure])
        while len(blocks) > 1 and (
            blocks[-2][2] / blocks[-2][3] >= blocks[-1][2] / blocks[-1][3] or blocks[-2][3] < _LEAST
        ):
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    if len(blocks) > 1 and blocks[-1][3] < _LEAST:
        last = blocks.pop()
        blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    points = [(total / count, min(1.0, (good + 1) / (sure + 2))) for count, total, good, sure in blocks]
    probabilities = np.maximum.accumulate([probability for _, probability in points])
    return Curve(tuple(score for score, _ in points), tuple(map(float, probabilities)))


def _is_sound(curve: Curve) -> bool:
    scores, values = np.array(curve.scores), np.array(curve.probabilities)
    return bool(
        len(scores)
        and len(scores) == len(values)
        and (np.diff(scores) > 0).all()
        and (np.diff(values) >= 0).all()
        and values[0] >= 0
        and values[-1] <= 1
    )
