"""64-bit hashes of strings, the same on every machine and in every run."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from linnet.arrays import Hashes

__all__ = ["hash_texts"]


def hash_texts(texts: Iterable[str]) -> Hashes:
    """(N,) the first 8 bytes of each string's BLAKE2b digest."""
    joined = b"".join(
        [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts]
    )
    return np.frombuffer(joined, dtype="<u8").astype(np.uint64, copy=False)
