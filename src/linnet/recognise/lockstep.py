"""Going through many sentences side by side, one token of each at a step, instead of through one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from linnet.arrays import Ints

__all__ = ["Lockstep"]


@dataclass(frozen=True, slots=True)
class Lockstep:
    """S sentences, the longest first, so that those with a token at some step are a prefix.

    firsts, lasts  (S,) the first and the last token of each
    active         how many of them have a token at each step
    """

    firsts: Ints
    lasts: Ints
    active: tuple[int, ...]

    @classmethod
    def of(cls, sentences: Sequence[int], *, chosen: Ints | None = None) -> Self:
        """Sentences bounded as in `Tokens.sentences`; empty ones are left out.

        chosen  places of the sentences to go through, all when left out
        """
        bounds = np.asarray(sentences, np.int64)
        firsts, lengths = bounds[:-1], np.diff(bounds)
        if chosen is not None:
            firsts, lengths = firsts[chosen], lengths[chosen]
        order = np.argsort(-lengths, kind="stable")[: int((lengths > 0).sum())]
        firsts, lengths = firsts[order], lengths[order]
        steps = np.arange(int(lengths.max(initial=0)))
        active = np.searchsorted(-lengths, -steps, side="left")
        return cls(firsts, firsts + lengths - 1, tuple(active.tolist()))

    def forward(self, step: int) -> Ints:
        """The tokens at a step, counted from the start of each sentence."""
        return self.firsts[: self.active[step]] + step

    def backward(self, step: int) -> Ints:
        """The tokens at a step, counted from the end of each sentence."""
        return self.lasts[: self.active[step]] - step
