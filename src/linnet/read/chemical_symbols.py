"""Names of chemical symbols and formulas: "Na" is sodium, "CaCl(2)" calcium chloride.

Terminologies rarely list symbols, as many are ambiguous ("Ca" is calcium or cancer). Letter case matters: "NO" is nitric
oxide, "no" is not. The list is `lexicon/chemical_symbols.tsv`.
"""

from __future__ import annotations

import re
from functools import cache

from linnet.read.rules import rows

__all__ = ["chemical_name"]

_CHARGE = re.compile(r"(?:\(?\d*[+-]\)?|\(\d*[+-]\))$")
_INDEX = re.compile(r"\((\d+)\)")


def chemical_name(text: str) -> str | None:
    """The name of a text that is a chemical symbol, ion or formula; None for any other text.

    >>> chemical_name("CaCl(2)"), chemical_name("Na+"), chemical_name("Ca(2+)"), chemical_name("no")
    ('calcium chloride', 'sodium', 'calcium', None)
    """
    if len(text) > 10:
        return None
    plain = _INDEX.sub(r"\1", text.strip())
    return _names().get(plain) or _names().get(_CHARGE.sub("", plain))


@cache
def _names() -> dict[str, str]:
    return {row["symbol"]: row["name"] for row in rows("chemical_symbols")}
