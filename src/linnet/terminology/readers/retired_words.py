"""Words of a status column (tables) or status property (FHIR) for a code that is no longer in use."""

from __future__ import annotations

__all__ = ["RETIRED"]

RETIRED = frozenset({
    "obsolete", "inactive", "retired", "deprecated", "withdrawn", "entry withdrawn", "symbol withdrawn", "superseded", "deleted",
    "removed", "entered-in-error",
})  # fmt: skip
"""In small letters."""
