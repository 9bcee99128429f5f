"""The semantic tag that ends a fully specified name of SNOMED CT.

>>> untagged("Asthma (disorder)")
('Asthma', 'disorder')
>>> untagged("Asthma")
('Asthma', '')
"""

from __future__ import annotations

import re

__all__ = ["FULLY_SPECIFIED_NAME", "untagged"]

FULLY_SPECIFIED_NAME = "900000000000003001"  # SNOMED CT's description type of such names
_TAG = re.compile(r"(.*\S)\s+\(([^()]+)\)")


def untagged(term: str) -> tuple[str, str]:
    """The name without its tag, and the tag, "" for none."""
    match = _TAG.fullmatch(term)
    return (match.group(1), match.group(2)) if match else (term, "")
