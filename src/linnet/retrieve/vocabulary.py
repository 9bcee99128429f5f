"""The features of a terminology's names, numbered, with the number of names each occurs in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Hashes, Ints, Rows
from linnet.retrieve.memory_map import map_array

__all__ = ["Vocabulary", "count_pairs"]


class Vocabulary:
    """Feature codes ↔ ids 0 … V − 1, memory-mapped.

    codes        (V,) ascending             ids    (V,) the id of each code
    frequencies  (V,) forms that have a feature, by id
    forms        how many forms there are
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

        batches  (owners, codes) of some forms at a time, no form in two batches
        order    ids go up with `order(codes)`, then with frequency: what retrieval should look up first comes first
        """
        codes, frequencies = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        for owners, features in batches:
            distinct, local = np.unique(features, return_inverse=True)
            _, local, _ = count_pairs(owners, local, len(distinct))
            here = np.bincount(local, minlength=len(distinct))
            joined = np.concatenate([codes, distinct])
            codes, at = np.unique(joined, return_inverse=True)
            frequencies = np.bincount(at, np.concatenate([frequencies, here]), len(codes)).astype(np.int64)
        ranked = np.lexsort((codes, frequencies, order(codes)))
        ids = np.empty(len(codes), np.int32)
        ids[ranked] = np.arange(len(codes))
        np.save(path / "vocabulary.codes.npy", codes)
        np.save(path / "vocabulary.ids.npy", ids)
        np.save(path / "vocabulary.frequencies.npy", frequencies[ranked].astype(np.int32))
        return cls.open(path, forms=forms)

    @classmethod
    def open(cls, path: Path, *, forms: int) -> Self:
        """What `write` wrote."""
        codes, ids, frequencies = (
            map_array(path / f"vocabulary.{part}.npy") for part in ("codes", "ids", "frequencies")
        )
        return cls(codes, ids, frequencies, forms)

    def find(self, codes: Hashes) -> Rows:
        """(M,) the id of each code, −1 where no form has it."""
        if not len(self):
            return np.full(len(codes), -1, np.int32)
        at = np.minimum(np.searchsorted(self.codes, codes), len(self) - 1)
        return np.where(self.codes[at] == codes, self.ids[at], np.int32(-1))


def count_pairs(owners: Ints, ids: Any, size: int) -> tuple[Ints, Ints, Ints]:
    """(owner, id, how often) for each distinct pair, ordered by owner, then id; ids are below `size`."""
    pairs = owners * size + ids
    pairs.sort()
    new = np.ones(len(pairs), dtype=bool)
    np.not_equal(pairs[1:], pairs[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    owners, ids = np.divmod(pairs[starts], max(size, 1))
    return owners, ids, np.diff(starts, append=len(pairs))
