"""Counts in messages: a plural phrase where the count is one.

>>> counted(2, "documents"), counted(1, "documents"), counted(1, "entities")
('2 documents', '1 document', '1 entity')
>>> counted(1, "concept ids of no known vocabulary, kept as they are written")
'1 concept id of no known vocabulary, kept as it is written'
>>> counted(1, "rows that have no text, left out")
'1 row that has no text, left out'
>>> counted(1, "cells hold 'NA' and were read as empty")
"1 cell holds 'NA' and was read as empty"
"""

from __future__ import annotations

import re

__all__ = ["counted"]

# The first plural noun; words such as "discontinuous", "class" and "this" end in s, but are not plurals.
_NOUN = re.compile(r"(?<![\w'<])([A-Za-z]{2,}?)(ies|s)(?![\w'>])")
_SINGULARS = re.compile(r"(?:us|ss|is)$")
_VERBS = {
    "are": "is", "were": "was", "have": "has", "hold": "holds", "do": "does", "count": "counts", "belong": "belongs",
    "look": "looks", "mean": "means",
}  # fmt: skip
_VERB = rf"({'|'.join(_VERBS)})\b"
_MAIN = re.compile(rf"^() {_VERB}")  # right after the counted noun
_FURTHER = re.compile(rf"\b(that|which|and) {_VERB}")


def counted(count: int, plural: str) -> str:
    """The count, with thousands separated, and the phrase; for a count of 1, the phrase in the singular.

    plural  its first plural noun is what is counted: `rejected annotations, left out`. Verbs of `_VERBS` change with it if they
            follow it directly, or follow "that", "which" or "and"
    """
    if count != 1:
        return f"{count:,} {plural}"
    for noun in _NOUN.finditer(plural):
        if not _SINGULARS.search(noun[0]):
            singular = noun[1] + ("y" if noun[2] == "ies" else "")
            rest = _FURTHER.sub(_singular_verb, _MAIN.sub(_singular_verb, plural[noun.end() :]))
            return f"1 {plural[: noun.start()]}{singular}{rest.replace('as they are', 'as it is')}"
    return f"1 {plural}"


def _singular_verb(match: re.Match[str]) -> str:
    return f"{match[1]} {_VERBS[match[2]]}"
