"""Drug names without dose, frequency, route and form: "oral prednisone 20 mg daily" → "prednisone"; words in `lexicon/doses.tsv`."""

from __future__ import annotations

import re

from linnet.read.rules import compiled

__all__ = ["names_dosage_form", "strip_doses"]

_LEFT_OUT = (
    r"(?<![\w-]){doses:number}\s*-?\s*(?:{doses:unit}(?!\w))(?:\s*(?:/|\bper\b|\ba\b)\s*{doses:per}\b)*(?!-)",
    r"(?<![\w-]){doses:often}(?![\w-])",
    r"(?<![\w-]){doses:route}(?![\w-])(?!\s+{doses:known by route})",
)
_FORM = r"(?<=\w)\s+{doses:form}\s*$"
_PRODUCT = r"(?s).*\w\s+(?:(?:eye|ear|nasal|nose)\s+)?{doses:product}\W*"
_EDGE = " ,;:-–"


def strip_doses(text: str) -> str:
    """The text without amounts, frequencies, routes of administration and dosage forms; unchanged if nothing else is in it."""
    bare = text
    for pattern in _LEFT_OUT:
        bare = compiled(pattern).sub(" ", bare)
    bare = re.sub(r"[(\[]\s*[)\]]", " ", bare)
    bare = compiled(_FORM).sub("", " ".join(bare.split()).strip(_EDGE))
    return bare if any(c.isalpha() for c in bare) else text


def names_dosage_form(text: str) -> bool:
    """Whether a text of several words ends in a dosage form, and so names a product.

    >>> names_dosage_form("eczema cream"), names_dosage_form("cream")
    (True, False)
    """
    return compiled(_PRODUCT).fullmatch(text) is not None
