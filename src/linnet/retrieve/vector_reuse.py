"""Reuse an older index's vectors of the same texts, so that an update encodes only new texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.advice import Step
from linnet.arrays import Hashes, Ints, Mask
from linnet.errors import StoreError
from linnet.io import artifact
from linnet.retrieve.index import INDEX_VERSION, MANIFEST
from linnet.retrieve.memory_map import map_array
from linnet.words import text

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
    def of(cls, path: Path, *, encoder: str, kind: str = "dense") -> Self | None:
        """The vectors of the index at `path`, whatever content it was built from; None if they cannot be reused.

        encoder  digest of the encoder that must have made them
        kind     of the index

        Only for cosines: an index for inner products scales all vectors by the longest.
        """
        try:
            rebuild = Step.BUILD_INDEX(terminology="DIR")
            fields = artifact.read_manifest(path, MANIFEST, what="index", rebuild=rebuild)
            artifact.check(path, fields, rebuild=rebuild)
        except StoreError:
            return None
        options = fields.get("options", {})
        properties = (fields.get("index"), fields.get("kind"), fields.get("text"), options.get("metric"))
        if properties != (INDEX_VERSION, kind, text.VERSION, "cosine"):
            return None
        if options["encoder"]["digest"] != encoder or not (path / HASHES).exists():
            return None
        return cls(map_array(path / HASHES), map_array(path / "vectors.npy"))

    def find(self, hashes: Hashes) -> tuple[Mask, Ints]:
        """(N,) which texts have a vector, and (M,) the rows of their vectors."""
        position = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        known = self._hashes[position] == hashes
        return known, self._order[position[known]]
