"""Concept ids that are kept as they are written, because their vocabulary is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["KEPT", "kept_as_written"]

KEPT = "concept ids of no known vocabulary, kept as they are written"
"""What a reader notes of them."""
_CURIE = re.compile(r"[A-Za-z][\w.\-]*:[^\s|;,()]+")


def kept_as_written(concepts: Iterable[str]) -> list[str]:
    """Those of the concepts that are no CURIEs: variants in tmVar's notation, local ids, words."""
    return [concept for concept in concepts if not _is_curie(concept)]


@lru_cache(maxsize=1 << 14)
def _is_curie(concept: str) -> bool:
    return _CURIE.fullmatch(concept) is not None
