"""Concepts that only qualify others, such as severity and laterality in HPO: alone in a text, their names say nothing."""

from __future__ import annotations

from linnet.terminology.store import Terminology

__all__ = ["qualifying_concepts"]

# By HPO's documentation, findings are below "Phenotypic abnormality" (HP:0000118); what is beside it describes them, their
# inheritance, and families. Past medical history (HP:0032443) stays, but for its top and family history ("affected", "healthy").
_BRANCHES = ("HP:0000005", "HP:0012823", "HP:0031797", "HP:0032223", "HP:0032316", "HP:0040279")
_SINGLE = ("HP:0000001", "HP:0000118", "HP:0032443")


def qualifying_concepts(terminology: Terminology) -> frozenset[int]:
    """Rows of the concepts that only qualify findings; none unless the terminology has HPO's.

    HPO's modes of inheritance, clinical modifiers and courses, blood groups, frequencies and family history, and its most
    general concepts.
    """
    rows = {row for id in _BRANCHES if (row := terminology.row(id)) >= 0}
    open_rows = list(rows)
    while open_rows:
        below = {int(child) for child in terminology.children(open_rows.pop())} - rows
        rows |= below
        open_rows += below
    return frozenset(rows | {row for id in _SINGLE if (row := terminology.row(id)) >= 0})
