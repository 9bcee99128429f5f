"""The reranker that another stands behind: it ranks all mentions, and says of which ones it is unsure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet import artifact
from linnet.arrays import Doubles, Ints
from linnet.encode.model import REBUILD
from linnet.encode.named_models import model_place
from linnet.errors import DamagedError, MismatchError
from linnet.rerank.calibrator import FILE, Calibrator
from linnet.rerank.reranker import RemembersComposites, RemembersMentions, Reranker, recalled
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Mention

__all__ = ["FIRST", "BehindFirst", "FirstReranker"]

FIRST = "first"
"""Its folder in the model directory of the other; without it, it is found by name."""


@dataclass(frozen=True, slots=True)
class FirstReranker:
    """
    reranker    its scores are probabilities; the rest to 1 is that of "none of these"
    calibrator  of these; without a curve they are taken as they are
    ask_below   calibrated probability below which it counts as unsure
    """

    reranker: Reranker
    calibrator: Calibrator
    ask_below: float

    @classmethod
    def open(cls, path: Path, options: Mapping[str, Any], *, threads: int | None = None) -> Self:
        """The one that a model directory names.

        options  of the model: "first" and "first_digest", "ask_below"

        Raises as `open_reranker`, MismatchError if it is not the one that the model was trained with, and DamagedError without
        "ask_below".
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
        knowing = self.reranker
        forgetful = knowing.without_memory() if isinstance(knowing, RemembersMentions) else knowing
        return type(self)(forgetful, self.calibrator, self.ask_below)


class BehindFirst:
    """A reranker behind another: what is remembered is remembered by the first."""

    first: FirstReranker
    digest: str

    def composites(self, mentions: Sequence[Mention], texts: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """See `RemembersComposites.composites`."""
        knowing = self.first.reranker
        return knowing.composites(mentions, texts) if isinstance(knowing, RemembersComposites) else {}

    def recalled(self, texts: Sequence[str], ids: Sequence[Sequence[str]]) -> Doubles:
        """See `RemembersMentions.recalled`."""
        return recalled(self.first.reranker, texts, ids)

    def without_memory(self) -> Self:
        """See `RemembersMentions.without_memory`."""
        forgetful = copy(self)
        forgetful.first = self.first.without_memory()
        forgetful.digest = artifact.digest(f"{self.digest} without memory")
        return forgetful
