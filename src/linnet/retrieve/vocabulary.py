"""The numbered features of a terminology's names, with the number of names that have each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Hashes, Ints, Rows
from linnet.retrieve.memory_map import map_array
from linnet.retrieve.ragged import run_starts

__all__ = ["Vocabulary", "count_pairs"]


class Vocabulary:
    """Feature codes ↔ ids 0 … V − 1, memory-mapped.

    codes        (V,) ascending             ids    (V,) the id of each code
    frequencies  (V,) number of forms that have a feature, by id
    forms        number of forms
    """

    def __init__(self, codes: Hashes, ids: Rows, frequencies: Rows, forms: int) -> None:
        self.codes, self.ids, self.frequencies, self.forms = codes, ids, frequencies, forms

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def write(
        cls, path: Path, batches: Iterable[tuple[Ints, Hashes]], *, forms: int, order: Callable[[Hashes], Any]
    ) -> Self:
        """Number the features of all forms and write `vocabulary.*.npy`.

        batches  (owners, codes) of some forms at a time; no form is in two batches
        order    ids ascend by `order(codes)`, then by frequency, so that retrieval looks up the lowest ids first
        """
        codes, frequencies = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        for owners, features in batches:
            distinct, local = np.unique(features, return_inverse=True)
            _, local, _ = count_pairs(owners, local, len(distinct))
            batch_frequencies = np.bincount(local, minlength=len(distinct))
            codes, at = np.unique(np.concatenate([codes, distinct]), return_inverse=True)
            both = np.concatenate([frequencies, batch_frequencies])
            frequencies = np.bincount(at, both, len(codes)).astype(np.int64)
        ranked = np.lexsort((codes, frequencies, order(codes)))
        ids = np.empty(len(codes), np.int32)
        ids[ranked] = np.arange(len(codes))
        np.save(path / "vocabulary.codes.npy", codes)
        np.save(path / "vocabulary.ids.npy", ids)
        np.save(path / "vocabulary.frequencies.npy", frequencies[ranked].astype(np.int32))
        return cls.open(path, forms=forms)

    @classmethod
    def open(cls, path: Path, *, forms: int) -> Self:
        """Open what `write` wrote."""
        codes, ids, frequencies = (
            map_array(path / f"vocabulary.{name}.npy") for name in ("codes", "ids", "frequencies")
        )
        return cls(codes, ids, frequencies, forms)

    def find(self, codes: Hashes) -> Rows:
        """(M,) the id of each code, −1 if no form has it."""
        if not len(self):
            return np.full(len(codes), -1, np.int32)
        at = np.minimum(np.searchsorted(self.codes, codes), len(self) - 1)
        return np.where(self.codes[at] == codes, self.ids[at], np.int32(-1))


def count_pairs(owners: Ints, ids: Any, size: int) -> tuple[Ints, Ints, Ints]:
    """(owner, id, count) of each distinct pair, ordered by owner, then id. Ids are below `size`."""
    pairs = owners * size + ids
    pairs.sort()
    starts = run_starts(pairs)
    owners, ids = np.divmod(pairs[starts], max(size, 1))
    return owners, ids, np.diff(starts, append=len(pairs))
