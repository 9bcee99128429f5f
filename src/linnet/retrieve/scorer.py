"""A way of scoring names against texts by what both are made of: one class per way, all searched by `sparse.py`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Protocol, Self

from linnet.arrays import Floats, Ints, Mask, Rows
from linnet.retrieve.hits import Origin
from linnet.retrieve.name_forms import FormTexts, NameForms

__all__ = ["Matches", "Scorer"]

# Rows of texts, forms and scores: match m says that form forms[m] answers text rows[m] with scores[m].
Matches = tuple[
    Ints,
    Rows,
    Floats,
]


class Scorer(Protocol):
    """Opened from a folder that its class's `write` has filled."""

    origin: ClassVar[Origin]

    @classmethod
    def write(cls, path: Path, forms: NameForms, texts: FormTexts) -> None:
        """Fill an empty folder with whatever `open` needs."""
        ...

    @classmethod
    def open(cls, path: Path, forms: NameForms) -> Self:
        """Memory-mapped."""
        ...

    def restricted(self, forms: Mask, concepts: Rows) -> Self:
        """A scorer that finds only these forms, each counted for the concept given for it."""
        ...

    def match(self, texts: Sequence[str], *, k: int) -> Matches:
        """The forms of at least the k best concepts of each simplified text, with those tied with the last."""
        ...
