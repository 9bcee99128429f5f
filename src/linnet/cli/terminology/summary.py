"""A terminology in a few lines: its counts."""

from __future__ import annotations

from linnet.cli.progress import aligned, note
from linnet.terminology import Terminology

__all__ = ["counts_of", "show"]


def counts_of(terminology: Terminology) -> dict[str, str]:
    """Label → count, formatted."""
    counts = terminology.manifest["counts"]
    concepts, names = counts["concepts"], counts["names"]
    rows = {
        "concepts": f"{concepts:,}",
        "names": f"{names:,} ({names / concepts:.1f} a concept)",
        "homonyms": f"{counts.get('homonyms', 0):,} names of more than one concept",
        "definitions": f"{counts['definitions']:,}",
        "with parents": f"{counts['concepts_with_parents']:,}",
        "retired ids": f"{counts['aliases']:,}",
    }
    if counts["parents_missing"]:
        rows["parents missing"] = f"{counts['parents_missing']:,} name an absent concept"
    if counts.get("in_cycles"):
        rows["in cycles"] = f"{counts['in_cycles']:,} concepts that are their own ancestors"
    if counts.get("nameless"):
        rows["without a name"] = f"{counts['nameless']:,} ids, left out"
    if counts.get("aliases_lost"):
        rows["retired, lost"] = f"{counts['aliases_lost']:,} ids whose successors are absent, left out"
    return rows


def show(terminology: Terminology) -> None:
    """Print what was written and the next command, to standard error."""
    note(f"{terminology.path}")
    note(aligned(counts_of(terminology)))
    note(f"Next: linnet index {terminology.path}")
