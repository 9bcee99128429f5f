"""Documents unlike the annotated ones, and unlike each other."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from linnet.active.strategies.pool import Pool
from linnet.words.text import tokens

__all__ = ["diversity"]

_WIDTH = 1 << 18  # columns for hashed words; collisions among about 50,000 words are rare
_GREEDY = 300  # chosen one by one; nobody annotates more before the queue is ordered again

Matrix = Any  # scipy.sparse.csr_matrix, imported only where it is used


def diversity(pool: Pool) -> list[int]:
    """Documents least similar to the annotated ones, and to those before them, first.

    Similarity is the cosine of TF-IDF word vectors. The first 300 are chosen greedily; the rest follow by their
    similarity to these.
    Source: farthest-first traversal (Gonzalez 1985), as in the core-set approach (Sener & Savarese 2018).
    """
    if not pool.documents:
        return []
    vectors = _vectors([document.text for document in pool.documents] + list(pool.labelled))
    waiting, known = vectors[: len(pool.documents)], vectors[len(pool.documents) :]
    nearest = np.zeros(len(pool.documents), np.float32)
    if known.shape[0]:
        nearest = np.maximum(nearest, (waiting @ known.T).max(axis=1).toarray().ravel())
    else:
        # Nothing is annotated yet: start with the most typical document.
        centre = np.asarray(waiting.mean(axis=0)).ravel()
        nearest -= waiting @ centre
    chosen: list[int] = []
    left = np.ones(len(nearest), bool)
    for _ in range(min(_GREEDY, len(nearest))):
        best = int(np.flatnonzero(left)[np.argmin(nearest[left])])
        chosen.append(best)
        left[best] = False
        if len(chosen) == 1 and not known.shape[0]:
            nearest[:] = 0
        nearest = np.maximum(nearest, (waiting @ waiting[best].T).toarray().ravel())
    rest = np.flatnonzero(left)
    later: list[int] = rest[np.argsort(nearest[rest], kind="stable")].tolist()
    return chosen + later


def _vectors(texts: Sequence[str]) -> Matrix:
    """(N, width) rows of unit length."""
    from scipy.sparse import csr_matrix, diags

    indptr: list[int] = [0]
    columns: list[int] = []
    counts: list[int] = []
    for text in texts:
        words = Counter(zlib.crc32(word.encode()) % _WIDTH for word in tokens(text))
        columns.extend(words)
        counts.extend(words.values())
        indptr.append(len(columns))
    matrix = csr_matrix(
        (np.log1p(np.array(counts, np.float32)), np.array(columns, np.int32), np.array(indptr, np.int64)),
        shape=(len(texts), _WIDTH),
    )
    frequency = np.bincount(matrix.indices, minlength=_WIDTH)
    matrix = matrix @ diags(np.log((1 + len(texts)) / (1 + frequency)).astype(np.float32) + 1)
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return (diags(1 / np.maximum(length, 1e-9)) @ matrix).tocsr()
