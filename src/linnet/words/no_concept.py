"""What stands for "no concept" (NIL) in the place of a concept id.

>>> is_none(" CUI-less "), is_none("-1"), is_none("D003920")
(True, True, False)
"""

from __future__ import annotations

__all__ = ["is_none"]

_NONE = frozenset(
    {
        "", "-", "-1", "none", "null", "nil", "nan", "na", "n/a", "cui-less", "cui_less", "cuiless",
        "concept-less", "concept_less", "conceptless",
    }
)  # fmt: skip


def is_none(identifier: str) -> bool:
    """Whether a field means that the mention has no concept (NIL): empty, `-1`, `CUI-less` and the like."""
    return identifier.strip().lower() in _NONE
