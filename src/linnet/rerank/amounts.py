"""Amounts in names of drugs, compared as quantities.

>>> sorted(amounts("Amoxicillin 0,5 g / clavulanate 125MG tab 20").stated)
[(125.0, 'mg'), (500.0, 'mg')]
>>> amounts("5 mg/5 ml").stated == amounts("1 mg/ml").stated
True
>>> sorted(amounts("EXFORGE 10 160 MG").bare)
[10.0]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from linnet.terminology import Terminology

__all__ = ["Amounts", "amounts", "holds_amounts"]

_MASSES = {
    "mg": 1.0, "mgs": 1.0, "milligram": 1.0, "milligrams": 1.0, "g": 1000.0, "gr": 1000.0, "gram": 1000.0, "grams": 1000.0,
    "mcg": 0.001, "µg": 0.001, "μg": 0.001, "ug": 0.001, "microgram": 0.001, "micrograms": 0.001, "ng": 0.000001,
}  # fmt: skip
_OTHERS = {
    "iu": "iu", "ie": "iu", "ui": "iu", "unit": "iu", "units": "iu", "unt": "iu", "%": "%", "meq": "meq", "mmol": "mmol",
}  # fmt: skip
_VOLUMES = {"ml": 1.0, "milliliter": 1.0, "l": 1000.0}
_UNITS = "|".join(
    sorted((re.escape(unit) for unit in (*_MASSES, *_OTHERS, *_VOLUMES)), key=len, reverse=True)
)
_AMOUNT = re.compile(
    rf"(?<![\w.,])(\d+(?:[.,]\d+)?)\s*({_UNITS})?(?:\s*/\s*(\d+(?:[.,]\d+)?)?\s*(ml|milliliter|l))?(?![^\W\d_])",
    re.IGNORECASE,
)
_SAMPLE, _SHARE = 2000, 0.3


class Amounts(NamedTuple):
    """The quantities of a text.

    stated  with their unit: masses in mg, by volume as mg/ml
    bare    numbers without one
    """

    stated: frozenset[tuple[float, str]]
    bare: frozenset[float]


@lru_cache(1 << 14)
def amounts(text: str) -> Amounts:
    """The quantities of a text; volumes alone, which are sizes of packs, are left out."""
    stated, bare = set(), set()
    for number, unit, per, volume in _AMOUNT.findall(text):
        value, unit = _number(number), unit.lower()
        if not unit:
            bare.add(value)
        elif unit not in _VOLUMES:
            name = "mg" if unit in _MASSES else _OTHERS[unit]
            value *= _MASSES.get(unit, 1.0)
            if volume:
                value /= (_number(per) if per else 1.0) * _VOLUMES[volume.lower()] or 1.0
                name += "/ml"
            stated.add((round(value, 6), name))
    return Amounts(frozenset(stated), frozenset(bare))


def holds_amounts(terminology: Terminology) -> bool:
    """Whether amounts belong to the names of a terminology: 30 % of its preferred names have one."""
    step = max(1, len(terminology) // _SAMPLE)
    names: Sequence[str] = [terminology.name(row) for row in range(0, len(terminology), step)]
    return bool(names) and sum(bool(amounts(name).stated) for name in names) >= _SHARE * len(names)


def _number(text: str) -> float:
    return float(text.replace(",", "."))
