"""Vectors that an older index has of the same texts, so that an update encodes only what is new."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet import artifact, text
from linnet.arrays import Hashes, Ints, Mask
from linnet.errors import StoreError
from linnet.retrieve.index import INDEX_VERSION, MANIFEST
from linnet.retrieve.memory_map import map_array

__all__ = ["HASHES", "ReusableVectors"]

# The hash of each form's text, in the order of the vectors.
HASHES = "forms.hashes.npy"


class ReusableVectors:
    """The vectors of an index, looked up by the hashes of their texts."""

    def __init__(self, hashes: Hashes, vectors: Any) -> None:
        """hashes (F,)        vectors (F, D) 16-bit"""
        self._order = np.argsort(hashes)
        self._hashes = hashes[self._order]
        self.vectors = vectors

    @classmethod
    def of(cls, path: Path, *, encoder: str) -> Self | None:
        """Those of the index at `path`, whatever content it was built from; None where it cannot serve.

        encoder  digest of the encoder that must have made them

        Only cosines: where inner products are searched, all vectors change with the longest.
        """
        try:
            fields = artifact.read_manifest(path, MANIFEST, what="index", rebuild="linnet index")
            artifact.check(path, fields, rebuild="linnet index")
        except StoreError:
            return None
        options = fields.get("options", {})
        has = (fields.get("index"), fields.get("kind"), fields.get("text"), options.get("metric"))
        if has != (INDEX_VERSION, "dense", text.VERSION, "cosine"):
            return None
        if options["encoder"]["digest"] != encoder:
            return None
        if not (path / HASHES).exists():
            return None
        return cls(map_array(path / HASHES), map_array(path / "vectors.npy"))

    def find(self, hashes: Hashes) -> tuple[Mask, Ints]:
        """(N,) which texts it has, and (M,) the rows of those."""
        place = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        there = self._hashes[place] == hashes
        return there, self._order[place[there]]
