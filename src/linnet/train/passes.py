"""Passes over synonyms: every name of a concept with several names is in one pair, drawn anew for each pass.

A pass is cut into sections. When a section begins, the current encoder places a share of its pairs so that the concepts of a
batch are neighbours: their names are each other's hard negatives. Each pair is still in one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Floats, Ints

__all__ = ["Passes", "matched", "neighbouring"]

_STREAM = 1 << 41  # of the seed: separates the draws of passes from those of steps and epochs
_ROUNDS = 4  # of power iteration for a direction to split along; more change few places

Vectors = Callable[[Ints], Floats]
"""(n,) numbers of texts → (n, D) raw."""


class Passes:
    """Batches of pairs. A batch depends on seed, step and `state` only, so that a run can resume within a pass."""

    def __init__(
        self, texts: Ints, concepts: Ints, *, size: int, seed: int, hard: float = 0.0, section: int = 1000
    ) -> None:
        """
        texts     (N,) number of the text of each name        concepts  (N,) its concept, ascending
        size      pairs of a batch; the last batch of a pass may be smaller
        hard      share of the pairs, 0 to 1, in batches of neighbours
        section   batches from one arrangement to the next
        """
        self._texts, self._concepts = texts, concepts
        self._size, self._seed, self._hard, self._section = size, seed, hard, section
        self._pass: tuple[int, Ints, Ints] = -1, np.zeros((0, 2), np.int64), np.zeros(0, np.int64)
        self._arranged: tuple[int, Ints] = -1, np.zeros(0, np.int64)
        self.count = len(matched(texts, concepts, np.random.default_rng(seed))[1])

    @property
    def batches(self) -> int:
        """Batches of a pass."""
        return -(-self.count // self._size)

    def batch(self, step: int, vectors: Vectors) -> tuple[Ints, Ints]:
        """(B, 2) texts and (B,) concept of the pairs of batch `step`, counted from 0 over all passes."""
        number, place = divmod(step, self.batches)
        if number != self._pass[0]:
            rng = np.random.default_rng([self._seed, _STREAM, number])
            pairs, labels = matched(self._texts, self._concepts, rng)
            order = rng.permutation(len(labels))
            self._pass = number, pairs[order], labels[order]
        _, pairs, labels = self._pass
        rows = self._rows(number, place, vectors)
        return pairs[rows], labels[rows]

    def _rows(self, number: int, position: int, vectors: Vectors) -> Ints:
        """Of the pass's pairs, those of its batch `place`."""
        start = position - position % self._section
        first, last = start * self._size, min((start + self._section) * self._size, self.count)
        begins = number * self.batches + start
        if not self._hard:
            return np.arange(first, last)[(position - start) * self._size :][: self._size]
        if begins != self._arranged[0]:
            rng = np.random.default_rng([self._seed, _STREAM, number, 1 + start])
            self._arranged = begins, first + self._arrange(self._pass[1][first:last, 0], vectors, rng)
        return self._arranged[1][(position - start) * self._size :][: self._size]

    def _arrange(self, texts: Ints, vectors: Vectors, rng: np.random.Generator) -> Ints:
        """(n,) places of a section's pairs, batch after batch; a batch that is not full comes last."""
        hard = round(self._hard * (len(texts) // self._size)) * self._size
        near = [
            np.arange(hard)[members] for members in neighbouring(vectors(texts[:hard]), self._size, rng=rng)
        ]
        others = np.arange(hard, len(texts))
        whole = len(others) // self._size * self._size
        batches = [*near, *others[:whole].reshape(-1, self._size)]
        return np.concatenate([*(batches[i] for i in rng.permutation(len(batches))), others[whole:]])

    def state(self) -> dict[str, Tensor]:
        """The arrangement of the current section, and the step with which it begins."""
        begins, rows = self._arranged
        return {"section": torch.tensor(begins), "arranged": torch.from_numpy(rows)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on where `state` was taken."""
        self._arranged = int(state["section"]), state["arranged"].numpy()


def matched(texts: Ints, concepts: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """(P, 2) pairs of texts and (P,) their concepts: the names of each concept, matched at random.

    texts  (N,) of each name        concepts  (N,) of each name, ascending

    Each name is in one pair; of an odd number of names one is in two. A concept with one name has none.
    """
    order = np.lexsort((rng.random(len(texts)), concepts))
    drawn = texts[order]
    starts = np.flatnonzero(np.diff(concepts, prepend=-1))
    counts = np.diff(np.append(starts, len(texts)))
    start, count = np.repeat(starts, counts), np.repeat(counts, counts)
    position = np.arange(len(texts)) - start
    chosen = np.flatnonzero((position % 2 == 0) & (count > 1))
    # The last of an odd number of names is matched with the first.
    partner = np.where(position[chosen] + 1 < count[chosen], chosen + 1, start[chosen])
    return np.stack([drawn[chosen], drawn[partner]], axis=1), concepts[chosen]


def neighbouring(vectors: Floats, size: int, *, rng: np.random.Generator) -> Iterator[Ints]:
    """(size,) rows that are near each other by cosine, every row once; their number is a multiple of `size`.

    The rows are halved again and again along the direction in which they vary most.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    open_parts = [np.arange(len(unit))] if len(unit) else []
    while open_parts:
        rows = open_parts.pop()
        if len(rows) <= size:
            yield rows
            continue
        centred = unit[rows] - unit[rows].mean(0)
        direction = rng.standard_normal(unit.shape[1]).astype(np.float32)
        for _ in range(_ROUNDS):
            direction = centred.T @ (centred @ direction)
            direction /= max(float(np.linalg.norm(direction)), np.finfo(np.float32).tiny)
        along = np.argsort(centred @ direction, kind="stable")
        half = len(rows) // size // 2 * size
        open_parts += [rows[along[half:]], rows[along[:half]]]
