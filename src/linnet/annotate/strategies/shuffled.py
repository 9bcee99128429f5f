"""The baseline."""

from __future__ import annotations

from hashlib import blake2b

from linnet.annotate.strategies.pool import Pool

__all__ = ["shuffled"]


def shuffled(pool: Pool) -> list[int]:
    """Random order; the same for the same seed, and a new document does not move the others.

    Each document's place is told by a hash of seed and name.
    """
    salt = pool.seed.to_bytes(8, "big", signed=True)
    keys = [blake2b(one.name.encode(), digest_size=8, salt=salt).digest() for one in pool.documents]
    return sorted(range(len(keys)), key=lambda place: (keys[place], place))
