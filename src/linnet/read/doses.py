"""Drug names without dose, frequency, route and form: "oral prednisone 20 mg daily" → "prednisone"."""

from __future__ import annotations

import re

__all__ = ["names_dosage_form", "strip_doses"]

_NUMBER = r"\d[\d.,]*(?:\s*(?:-|–|to|x)\s*\d[\d.,]*)?"
_UNIT = (
    r"(?:(?:mg|mcg|[µμu]g|ng|kg|g|grams?|milligrams?|micrograms?|ml|[µμu]l|l|cc|m?mol|[µμn]mol|mmol|[µμm]?M|meq|iu|units?|"
    r"mIU|U|Gy|mCi|MBq|puffs?|drops?|tablets?|capsules?|%)(?![\w]))"
)
_PER = r"(?:\s*(?:/|\bper\b|\ba\b)\s*(?:kg|m2|m\^2|m²|day|d|week|wk|month|hour|hr|h|min|minute|ml|dl|l|dose|body\s+weight)\b)*"
_AMOUNT = re.compile(rf"(?<![\w-]){_NUMBER}\s*-?\s*{_UNIT}{_PER}(?!-)", re.IGNORECASE)
_HOW_OFTEN = re.compile(
    r"""(?<![\w-])(?:
        (?:once|twice|thrice|(?:\d+|two|three|four)\s+times)(?:\s+(?:an?|per|every)\s+(?:day|week|month|year)|\s+(?:daily|weekly|monthly))?
      | every\s+(?:other\s+)?(?:\d+\s+)?(?:hours?|days?|weeks?|months?) | (?:daily|weekly|monthly|nightly)
      | q\.?\s?\d+\.?\s?h\.? | q\.?d\.? | b\.?i\.?d\.? | t\.?i\.?d\.? | q\.?i\.?d\.?
      | (?:at|in)\s+an?\s+(?:daily\s+)?dose(?:\s+of)?
      | (?:single|low|high|repeated|standard)[\s-]dose(?:\s+of)? | doses?\s+of
      | for\s+\d+\s+(?:hours?|days?|weeks?|months?|years?)
    )(?![\w-])""",
    re.IGNORECASE | re.VERBOSE,
)
# Not in names of conditions of the mouth, or of things known by their route: "oral mucositis", "oral contraceptives".
_ROUTE = re.compile(
    r"""(?<![\w-])(?:oral(?:ly)?|intra(?:venous|muscular|peritoneal|thecal|nasal)(?:ly)?|subcutaneous(?:ly)?|sublingual(?:ly)?
      | transdermal(?:ly)? | topical(?:ly)? | inhaled | nebuli[sz]ed | parenteral(?:ly)? | by\s+mouth | per\s+os
      | [ip]\.\s?[vmpo]\.? | s\.\s?c\.? | (?:IV|iv|IM|SC)(?=\s+[a-z])
    )(?![\w-])(?!\s+(?:\S+(?:itis|oma|omas|iasis|osis|plakia|dynia)\b|ulcer|cancer|carcinoma|lesion|infection|disease|contracepti
      |candida|cavity|herpes|lichen|health|hygiene|mucos|malforma|tumou?r|bleed|pain|nutrition|hydrat|abscess|and\b|or\b))""",
    re.IGNORECASE | re.VERBOSE,
)
_FORM = re.compile(
    r"(?<=\w)\s+(?:tablets?|capsules?|injections?|infusions?|oral\s+solution|cream|ointment|syrup|transdermal\s+patch)\s*$",
    re.IGNORECASE,
)
_NAMED_FORM = re.compile(
    r".*\w\s+(?:(?:eye|ear|nasal|nose)\s+)?(?:tablets?|pills?|capsules?|injections?|infusions?|oral\s+solution|creams?|ointments?|gels?|lotions?|syrups?|drops"
    r"|(?:transdermal\s+)?patch(?:es)?|sprays?|inhalers?|nebuli[sz]ers?|suppositor(?:y|ies))\W*",
    re.IGNORECASE | re.DOTALL,
)
_EDGE = " ,;:-–"


def strip_doses(text: str) -> str:
    """The text without amounts, frequencies, routes of administration and dosage forms; unchanged if nothing else is in it."""
    bare = text
    for pattern in (_AMOUNT, _HOW_OFTEN, _ROUTE):
        bare = pattern.sub(" ", bare)
    bare = re.sub(r"[(\[]\s*[)\]]", " ", bare)
    bare = _FORM.sub("", " ".join(bare.split()).strip(_EDGE))
    return bare if any(c.isalpha() for c in bare) else text


def names_dosage_form(text: str) -> bool:
    """Whether a text of several words ends in a dosage form, and so names a product.

    >>> names_dosage_form("eczema cream"), names_dosage_form("cream")
    (True, False)
    """
    return _NAMED_FORM.fullmatch(text) is not None
