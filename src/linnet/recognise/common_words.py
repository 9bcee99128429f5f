"""English words that are names or abbreviations in some terminology, but mean something else in running text."""

from __future__ import annotations

from linnet.read.rules import rows

__all__ = ["COMMON_WORDS", "NEVER_AT_EDGE"]


def _words(role: str) -> frozenset[str]:
    return frozenset(row["word"] for row in rows("common_words") if row["role"] == role)


COMMON_WORDS = _words("capitals")
"""Recognised only in the terminology's spelling, capitals included: "CAN" and "Lead" if it has them, never "can" and "lead"."""

NEVER_AT_EDGE = _words("inside")
"""No mention begins or ends with one, as with the words of `linnet.words.text.LITTLE`."""
