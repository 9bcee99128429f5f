"""What a linked concept is to the text of its mention, in the words of SKOS: "severe gout" has a broad match in Gout."""

from __future__ import annotations

from linnet.read.qualifiers import Relation, has_further_words, relation
from linnet.types import Link

__all__ = ["LITERAL", "REWRITTEN", "relation_of"]

LITERAL = frozenset({"exact", "synonym", "spelling"})
"""Origins of candidates that were found as a name."""
REWRITTEN = frozenset({"abbreviation", "spelling", "synonym"})
"""Origins of candidates that were found by other words than those of the text."""
_UNSURE = 0.5


def relation_of(link: Link, part: Link | None = None) -> str:
    """What the concepts of a link, or of one of its parts, are to its text; "" for NIL.

    related  something else about it ("family history of gout"), or the link is less probable than one half
    narrow   one of several things that the text names
    broad    the text has a qualifier that the concept's names lack
    exact    the text is a name of it, or a person chose it
    close    otherwise
    """
    part = part or link
    if not part.concepts:
        return ""
    best = next(iter(part.candidates), None)
    text, names = link.mention.text, [part.name, *([best.name] if best else [])]
    said = Relation.SAME if part.is_decided else relation(text, names)
    if said is Relation.OTHER or (link.probability is not None and link.probability < _UNSURE):
        return "related"
    if len(link.parts or link.concepts) > 1:
        return "narrow"
    if said is Relation.NARROWER:
        return "broad"
    origins = set(best.origin.split("+")) if best else LITERAL
    is_name = origins & REWRITTEN or (origins & LITERAL and not has_further_words(text, names))
    return "exact" if part.is_decided or is_name else "close"
