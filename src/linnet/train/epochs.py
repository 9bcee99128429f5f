"""Batches of epochs: every row once in an epoch, each epoch in another order."""

from __future__ import annotations

import numpy as np

from linnet.arrays import Ints

__all__ = ["Epochs"]

_STREAM = 1 << 40  # of the seed: separates the draws of epochs from those of steps


class Epochs:
    """A remainder smaller than a batch is left out. A batch depends on step and seed only, so that a run can resume."""

    def __init__(self, count: int, *, batch: int, seed: int) -> None:
        """
        count  rows, 1 or more        batch  rows of a batch, at most `count`
        """
        self._count, self._size, self._seed = count, min(batch, count), seed
        self._drawn: tuple[int, Ints] = -1, np.zeros(0, np.int64)

    @property
    def batches(self) -> int:
        """Batches of an epoch."""
        return self._count // self._size

    def rows(self, step: int) -> Ints:
        """(batch,) rows of batch `step`, counted from 0 over all epochs."""
        epoch, place = divmod(step, self.batches)
        if epoch != self._drawn[0]:
            rng = np.random.default_rng([self._seed, _STREAM, epoch])
            self._drawn = epoch, rng.permutation(self._count)
        return self._drawn[1][place * self._size : (place + 1) * self._size]
