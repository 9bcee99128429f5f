"""Sentences packed for processing in parallel: one token of each per step, as in a `PackedSequence` of PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from linnet.arrays import Ints

__all__ = ["PackedSentences"]


@dataclass(frozen=True, slots=True)
class PackedSentences:
    """S sentences, longest first, so that the sentences with a token at a step are the first ones.

    firsts, lasts  (S,) first and last token of each
    batch_sizes    number of sentences with a token at each step
    """

    firsts: Ints
    lasts: Ints
    batch_sizes: tuple[int, ...]

    @classmethod
    def of(cls, sentences: Sequence[int], *, chosen: Ints | None = None) -> Self:
        """Sentences with the bounds of `Tokens.sentences`, without empty ones.

        chosen  indexes of the sentences to pack; None: all
        """
        bounds = np.asarray(sentences, np.int64)
        firsts, lengths = bounds[:-1], np.diff(bounds)
        if chosen is not None:
            firsts, lengths = firsts[chosen], lengths[chosen]
        order = np.argsort(-lengths, kind="stable")[: int((lengths > 0).sum())]
        firsts, lengths = firsts[order], lengths[order]
        steps = np.arange(int(lengths.max(initial=0)))
        batch_sizes = np.searchsorted(-lengths, -steps, side="left")
        return cls(firsts, firsts + lengths - 1, tuple(batch_sizes.tolist()))

    def forward(self, step: int) -> Ints:
        """The tokens at a step, counted from the start of each sentence."""
        return self.firsts[: self.batch_sizes[step]] + step

    def backward(self, step: int) -> Ints:
        """The tokens at a step, counted from the end of each sentence."""
        return self.lasts[: self.batch_sizes[step]] - step
