"""Recognition of the output of `linnet link`, so that it is never used as gold: linnet would score 100 % on its own answers."""

from __future__ import annotations

from linnet.errors import DataError
from linnet.types import Document

__all__ = ["is_linked", "not_gold"]

# Combinations of JSON fields of a mention, and of table columns, that only the output of `linnet link` has.
_MENTION = frozenset({"probability", "candidates"})
_ROW = frozenset({"probability", "matched", "origin"})


def is_linked(document: Document) -> bool:
    """Whether `linnet link` wrote the document."""
    row = document.extra.get("table", {}).get("row", {})
    fields = document.extra.get("mentions", {}).get("fields", {})
    return (
        row.keys() >= _ROW
        or fields.keys() >= _MENTION
        or any(mention.extra.get("jsonl", {}).keys() >= _MENTION for mention in document.mentions)
    )


def not_gold(path: object) -> DataError:
    """The error for links in place of gold annotations."""
    return DataError(
        "holds links that linnet made, not gold annotations. To score them: linnet evaluate GOLD --predictions FILE. "
        "If a person has checked all links, remove the fields 'probability', 'candidates', 'matched' and 'origin'.",
        path=str(path),
    )
