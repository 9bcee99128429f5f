"""Columns of strings mapped to concepts: proposals, decisions, import, export, and new releases on both sides."""

from __future__ import annotations

from linnet.mapping.mapping import Mapping
from linnet.mapping.source_table import Columns

__all__ = ["Columns", "Mapping"]
