"""Random order, the baseline."""

from __future__ import annotations

from hashlib import blake2b

from linnet.active.strategies.pool import Pool

__all__ = ["shuffled"]


def shuffled(pool: Pool) -> list[int]:
    """Random order. A new document does not move the others.

    Sorts by a hash of seed and name, so the same seed gives the same order.
    """
    salt = pool.seed.to_bytes(8, "big", signed=True)
    keys = [blake2b(document.name.encode(), digest_size=8, salt=salt).digest() for document in pool.documents]
    return sorted(range(len(keys)), key=lambda place: (keys[place], place))
