"""Roles of words in names of disorders: heads, modifiers that need a head, names of disorders on their own."""

from __future__ import annotations

import re
from functools import cache

from linnet.read.rules import rows

__all__ = ["is_adjective", "is_code", "is_disorder", "is_head", "modifies", "needs_head"]

_CODE = re.compile(r"(?:\d+[a-z]?|[IVX]+|[A-Z]|[A-Z]\d+|alpha|beta|gamma|delta)")
# Ends of nouns that name a disorder on their own, and so do not modify a head.
_NOUN = re.compile(
    r"(?:itis|osis|oses|iasis|emia|aemia|uria|oma|omas|omata|pathy|pathies|algia|ism|penia|plegia|trophy|trophies|plasia|rrhea|"
    r"rrhage|phobia|edema|sclerosis|megaly|ectomy|tension|ache|uresis|xia|psy|lepsy|cardia|pnea|opia|ing|ness|tion|sion|ity)s?$"
)
_ADJECTIVE = re.compile(
    r"(?:al|ar|ic|ous|ary|ian|ean|ive|oid|ed|ile|ine|ant|ent|less|like|linked|"
    r"onset|related|induced|some|ing|ute|ete)$|^(?:left|right|upper|lower|early|late|mild|severe|deep)$"
)


@cache
def _words(role: str) -> frozenset[str]:
    return frozenset(row["word"] for row in rows("disorder_words") if row["role"] == role)


def _singular(word: str) -> str:
    folded = word.casefold()
    if folded.endswith("ies"):
        return folded[:-3] + "y"
    return folded[:-1] if folded.endswith("s") and not folded.endswith("ss") else folded


def is_adjective(word: str) -> bool:
    """Whether it ends like an adjective: "ovarian", "muscular"."""
    return bool(_ADJECTIVE.search(word.casefold()))


def is_code(word: str) -> bool:
    """Whether it only distinguishes members of a series: "VIII", "2", "B"."""
    return bool(_CODE.fullmatch(word))


def is_disorder(word: str) -> bool:
    """Whether it is a head, or names a disorder on its own: "cancer", "anaemia"."""
    return is_head(word) or bool(_NOUN.search(word.casefold()))


def is_head(word: str) -> bool:
    """Whether it usually has a modifier, of what or where: "cancer", "deficiencies"."""
    return word.casefold() in _words("head") or _singular(word) in _words("head")


def modifies(word: str) -> bool:
    """Whether it looks like an adjective, an organ or a number: "ovarian", "breast", "VIII"."""
    folded = word.casefold()
    return folded in _words("organ") or is_code(word) or is_adjective(folded)


def needs_head(word: str) -> bool:
    """Whether a name that ends with this word may lack its head."""
    folded = word.casefold()
    return folded in _words("organ") or not (
        is_head(word) or folded in _words("whole") or _NOUN.search(folded)
    )
