"""Lists in messages: the first items of many, and counts by name.

>>> first_few(["a", "b", "c"], 2), first_few(["a", "b"], 2)
('a, b and 1 more', 'a, b')
>>> tally(Counter({"eng": 1200, "ger": 7}))
'eng (1,200), ger (7)'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

__all__ = ["first_few", "tally"]


def first_few(items: Sequence[object], most: int) -> str:
    """The first `most` items, separated by commas, and the number of the others."""
    others = len(items) - most
    return ", ".join(map(str, items[:most])) + (f" and {others:,} more" if others > 0 else "")


def tally(counts: Counter[str], most: int | None = None) -> str:
    """Each name with its count, by falling count; only the first `most`."""
    return ", ".join(f"{name} ({count:,})" for name, count in counts.most_common(most))
