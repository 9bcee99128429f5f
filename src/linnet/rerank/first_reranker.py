"""The listwise reranker before a second encoder: it ranks all mentions, and says of which ones it is unsure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Ints
from linnet.encode.model import REBUILD
from linnet.encode.named_models import model_place
from linnet.errors import DamagedError, MismatchError
from linnet.rerank.calibrator import FILE, Calibrator
from linnet.rerank.listwise import ListwiseReranker
from linnet.retrieve.hits import Hits, Origin

__all__ = ["FIRST", "FirstReranker"]

FIRST = "first"
"""Its folder in the model directory of the other; without it, it is found by name."""


@dataclass(frozen=True, slots=True)
class FirstReranker:
    """
    reranker    its scores are probabilities; the rest to 1 is that of "none of these"
    calibrator  of these; without a curve they are taken as they are
    ask_below   calibrated probability below which it counts as unsure
    """

    reranker: ListwiseReranker
    calibrator: Calibrator
    ask_below: float

    @classmethod
    def open(cls, path: Path, options: Mapping[str, Any], *, threads: int | None = None) -> Self:
        """The one that a model directory names.

        options  of the model: "first" and "first_digest", "ask_below"

        Raises as `open_reranker`, MismatchError if it is not the one that the model was trained with or not a listwise one, and
        DamagedError without "ask_below".
        """
        from linnet.rerank.load import open_reranker

        own = path / FIRST
        place = own if own.is_dir() else str(options.get("first", ""))
        reranker = open_reranker(place, threads=threads)
        if reranker.digest != options.get("first_digest"):
            raise MismatchError(
                f"{path} was trained with reranker '{options.get('first')}' (digest {options.get('first_digest')}); "
                f"the one of that name now has digest {reranker.digest}. {REBUILD}"
            )
        if not isinstance(reranker, ListwiseReranker):
            raise MismatchError(
                f"'{reranker.name}' is a reranker of kind {reranker.kind}; a second encoder stands behind a listwise one. {REBUILD}"
            )
        beside = model_place(place) / FILE
        calibrator = Calibrator.open(beside) if beside.is_file() else Calibrator()
        if "ask_below" not in options:
            raise DamagedError(f"{path} does not say when it is asked: it has no 'ask_below'. {REBUILD}")
        return cls(reranker, calibrator, float(options["ask_below"]))

    def unsure(self, ranked: Hits) -> Ints:
        """The rows of its ranking that it scored, and may be wrong in."""
        scored = (ranked.concepts[:, 0] >= 0) & (ranked.origins[:, 0] & Origin.RERANKED > 0)
        known = self.calibrator.probabilities(ranked)
        best: Any = [
            score if p is None else p for p, score in zip(known, ranked.scores[:, 0].tolist(), strict=True)
        ]
        return np.flatnonzero(scored & (np.asarray(best) < self.ask_below))

    def without_memory(self) -> Self:
        """The same, see `RemembersMentions.without_memory`."""
        return type(self)(self.reranker.without_memory(), self.calibrator, self.ask_below)
