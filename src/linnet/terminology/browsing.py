"""Up and down the hierarchy."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linnet.terminology.store import Terminology

__all__ = ["children", "path", "roots"]

Rows = np.ndarray[Any, np.dtype[np.int64]]

_KEPT = 4
_ROOTS: OrderedDict[str, Rows] = OrderedDict()
_LOCK = Lock()
_DEEPEST = 50  # of the hierarchies in use, none is deeper than 30; cycles end here


def children(terminology: Terminology, row: int) -> Rows:
    """Rows of the narrower concepts, by name in small letters."""
    return _by_name(terminology, np.asarray(terminology.children(row), np.int64))


def roots(terminology: Terminology) -> Rows:
    """Rows of the concepts without a parent but with children, by name; of a flat terminology all concepts.

    Kept in memory for the last few terminologies.
    """
    with _LOCK:
        found = _ROOTS.pop(terminology.digest, None)
        if found is None:
            tops = terminology.tops()
            rows = tops.astype(np.int64) if len(tops) else np.arange(len(terminology), dtype=np.int64)
            found = _by_name(terminology, rows)
        _ROOTS[terminology.digest] = found
        while len(_ROOTS) > _KEPT:
            _ROOTS.popitem(last=False)
        return found


def path(terminology: Terminology, row: int) -> list[int]:
    """Rows from the top to a concept's first parent, by way of first parents."""
    steps: list[int] = []
    seen = {row}
    while len(steps) < _DEEPEST:
        above = [int(parent) for parent in terminology.parents(row) if int(parent) not in seen]
        if not above:
            break
        row = above[0]
        seen.add(row)
        steps.append(row)
    return steps[::-1]


def _by_name(terminology: Terminology, rows: Rows) -> Rows:
    rows = np.sort(rows)
    names = pa.array(terminology.names.take(terminology.first_name[rows]), pa.large_string())
    ordered: Rows = rows[pc.sort_indices(pc.utf8_lower(names)).to_numpy()]  # of one name, the lower row first
    return ordered
