"""16-bit vectors in a large file, of which a process holds only a small part."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linnet.arrays import Fixed, Floats
from linnet.retrieve.fixed_point import ONE, FixedPointVectors, Neighbours, RowNumbers
from linnet.retrieve.row_file import RowFile

__all__ = ["VectorFile"]


class VectorFile(FixedPointVectors):
    """(F, D) vectors to search, in a `RowFile`."""

    def __init__(self, file: Path) -> None:
        """`file`: (F, D) int16, see `to_fixed_point`"""
        self._rows = RowFile(file)
        super().__init__(self._rows.rows)

    def products(self, query: Fixed, vectors: Fixed) -> Floats:
        """(M,) dot products of one query and (M, D) rows, exact before the final rounding to float32."""
        return np.asarray(vectors.astype(np.float64) @ query.astype(np.float64) / ONE**2, dtype=np.float32)

    def fixed(self, rows: RowNumbers) -> Fixed:
        """(M, D) vectors of these rows, see `RowFile.take`."""
        return self._rows.take(rows)

    def scores(self, queries: Fixed, pairs: Neighbours) -> Floats:
        """(M,) dot product of each pair, exact before the final rounding to float32."""
        if len(queries) == 1:
            return self.products(queries[0], self.fixed(pairs.forms))
        # In file order, to read the file only once.
        order = np.argsort(pairs.forms)
        scores = np.empty(len(order), np.float32)
        scores[order] = super().scores(
            queries, Neighbours(pairs.queries[order], pairs.forms[order], pairs.cuts)
        )
        return scores
