"""The natural order of inverted names, as dictionaries sort them: "Anemia, Aplastic" → "Aplastic Anemia".

>>> natural("Diabetes Mellitus, Type 2")
'Type 2 Diabetes Mellitus'
>>> natural("Bone Marrow Failure, Familial, X-Linked") is None
True
"""

from __future__ import annotations

import re
from dataclasses import replace

from linnet.types import Concept

__all__ = ["add_natural_order", "natural"]

# Something that belongs to the head as it stands: "Deafness, and Ataxia" is a list, "Neoplasms, of Bone" not inverted.
_NOT_A_MODIFIER = re.compile(
    r"^(?:and|or|with|without|of|in|to|due|by|from|for|on|the|a|an|not|except|including|nos|unspecified|other|"
    r"susceptibility|resistance|so-called|formerly|human|rat|mouse|acid|sodium|hydrochloride)\b|"
    r"\b(?:and|or|with|of|the|due|including|included|salt|ester|subunit|member)\b",
    re.IGNORECASE,
)
# A chemical's locants and stereo marks: "Benzoic acid, 2,4-dichloro-", "Lysine, (S)-", "Proline, L-".
_CHEMICAL = re.compile(
    r"\d,\d|[-)\]}]$|[()\[\]{}]|^(?:[DLRSNOZE]|\d+)-|\b(?:alpha|beta|gamma)-", re.IGNORECASE
)
# "Charcot-Marie-Tooth Disease, 4A", "Hyperekplexia, Hereditary 1": a subtype's number reads after the head.
_NUMBER = re.compile(r"(?:^|(?<!type) )(?:\d+[A-Z]*|[IVX]+[A-C]?|[A-Z])$", re.IGNORECASE)
_WORDS = 4  # longer modifiers are clauses, not adjectives ("…, Congenital Form Seen in Infants"); chosen by reading MEDIC


def natural(name: str) -> str | None:
    """The name in natural order, or None where it is not plainly an inverted one.

    Where a vocabulary states both orders this is seldom wrong: of what it makes from MeSH 2024's trees C and D, 95 % is
    there already, and 0.4 % of what it makes from MEDIC 2012 is the name of another concept.

    Only "head, modifier" with one comma is turned round: with more commas the order of the modifiers is a guess,
    and lists ("A, B, and C") look the same. Chemicals with locants, clauses and bare subtype numbers are left alone.
    """
    head, comma, modifier = name.partition(", ")
    if not comma or "," in modifier or "," in head or not head or not modifier:
        return None
    if len(head) < 3 or not head[0].isalpha() or not modifier[0].isalpha() or "/" in modifier:
        return None
    if len(modifier.split()) > _WORDS or _NUMBER.search(modifier) or _NOT_A_MODIFIER.search(modifier):
        return None
    if _CHEMICAL.search(modifier) or _CHEMICAL.search(head):
        return None
    return f"{modifier} {head}"


def add_natural_order(concept: Concept) -> Concept:
    """The concept with the natural order of its inverted names after its own names, where not there yet (without case)."""
    known = {name.casefold() for name in concept.all_names}
    added = []
    for name in concept.all_names:
        turned = natural(name)
        if turned and turned.casefold() not in known:
            known.add(turned.casefold())
            added.append(turned)
    return replace(concept, names=(*concept.names, *added)) if added else concept
