"""Vectors as product codes of 4 bits for every two components; FAISS compares 32 at a time ("fast scan").

Source: Jégou et al. 2011 (product quantisation); André et al. 2015 (4-bit codes looked up in registers).
"""

from __future__ import annotations

from typing import Any

import faiss
import numpy as np

from linnet.arrays import Bytes, Floats
from linnet.retrieve.faiss_threads import faiss_threads

__all__ = ["BLOCK", "bytes_per_code", "code_book", "codes", "open_book", "packed"]

# Codes that are compared together; lists are padded to whole blocks.
BLOCK = 32
_BITS, _COMPONENTS = 4, 2
# Points per centre used for training: FAISS's own limit.
_POINTS = 256 << _BITS
# Within a block of 32, registers hold code i beside code i + 16, and the first sixteen in this order.
_LANES = np.arange(16).reshape(2, 8).T.ravel()


def code_book(points: Floats) -> Floats:
    """(D / 2, 16, 2) centres of each pair of components, from (N, D) points; an odd D is padded with a zero."""
    points = _even(points)
    if len(points) < _POINTS:
        points = np.tile(points, (-(-_POINTS // len(points)), 1))
    book = faiss.ProductQuantizer(points.shape[1], points.shape[1] // _COMPONENTS, _BITS)
    with faiss_threads(1):  # the same centres whatever the number of threads
        book.train(np.ascontiguousarray(points))
    centres: Floats = faiss.vector_to_array(book.centroids).reshape(book.M, 1 << _BITS, _COMPONENTS)
    return centres


def open_book(centres: Floats) -> Any:
    """FAISS's ProductQuantizer with these centres."""
    book = faiss.ProductQuantizer(len(centres) * _COMPONENTS, len(centres), _BITS)
    faiss.copy_array_to_vector(np.ascontiguousarray(centres, np.float32).ravel(), book.centroids)
    return book


def codes(book: Any, vectors: Floats) -> Bytes:
    """(N, D / 2) the nearest centre of each pair of components, one a byte. Uses the calling thread only."""
    with faiss_threads(1):  # callers share the work among threads
        paired = book.compute_codes(_even(vectors))
    numbers = np.stack([paired & 15, paired >> 4], axis=2).reshape(len(paired), -1)
    return numbers[:, : book.M]


def bytes_per_code(book: Any) -> int:
    """Bytes of a packed code."""
    return int(-(-book.M // 2))


def packed(rows: Bytes) -> Bytes:
    """Codes of whole blocks, (B · 32, M), in the order in which FAISS reads them."""
    blocks = rows.reshape(-1, BLOCK, rows.shape[1])
    if blocks.shape[2] % 2:
        blocks = np.concatenate([blocks, np.zeros_like(blocks[:, :, :1])], axis=2)
    pairs = blocks[:, _LANES] | blocks[:, _LANES + 16] << 4
    return np.ascontiguousarray(pairs.transpose(0, 2, 1)).ravel()


def _even(vectors: Floats) -> Floats:
    if vectors.shape[1] % _COMPONENTS:
        vectors = np.concatenate([vectors, np.zeros_like(vectors[:, :1])], axis=1)
    return np.ascontiguousarray(vectors, dtype=np.float32)
