"""How files of some formats begin or are called. `detect` reads these marks without importing the readers."""

from __future__ import annotations

import re

__all__ = ["ANNOTATIONS", "HEADER"]

ANNOTATIONS = (".ann", ".a1", ".a2")
"""Endings of brat's annotation files."""
HEADER = re.compile(r"^([^|\t]+)\|([ta])\|(.*)$", re.DOTALL)
"""A title or abstract of PubTator: id, letter, text."""
