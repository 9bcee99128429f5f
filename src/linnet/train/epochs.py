"""Batches that go through all there is to learn from, again and again, each time in another order."""

from __future__ import annotations

import numpy as np

from linnet.arrays import Ints

__all__ = ["Epochs"]

_STREAM = 1 << 40  # of the seed: keeps the draws of epochs apart from those of steps


class Epochs:
    """Every row once in an epoch, in an order of its own; a rest smaller than a batch is left out.

    A batch depends on its step and the seed alone, so that a run goes on anywhere.
    """

    def __init__(self, count: int, *, batch: int, seed: int) -> None:
        """
        count  rows, 1 or more        batch  rows of a batch; all of them where there are fewer
        """
        self._count, self._size, self._seed = count, min(batch, count), seed
        self._drawn: tuple[int, Ints] = -1, np.zeros(0, np.int64)

    def rows(self, step: int) -> Ints:
        """(batch,) the rows of batch `step`, counted from 0 over all epochs."""
        epoch, place = divmod(step, self._count // self._size)
        if epoch != self._drawn[0]:
            rng = np.random.default_rng([self._seed, _STREAM, epoch])
            self._drawn = epoch, rng.permutation(self._count)
        return self._drawn[1][place * self._size : (place + 1) * self._size]
