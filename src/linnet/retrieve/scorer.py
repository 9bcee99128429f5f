"""The interface of a scorer, which compares names with texts by their features. `sparse.py` searches them all alike."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Protocol, Self

from linnet.arrays import Floats, Ints, Mask, Rows
from linnet.retrieve.hits import Origin
from linnet.retrieve.name_forms import FormTexts, NameForms

__all__ = ["Matches", "Scorer"]

# Texts, forms and scores, (M,) each: form forms[m] matches text texts[m] with scores[m].
Matches = tuple[Ints, Rows, Floats]


class Scorer(Protocol):
    """Opened from a folder that its class's `write` has filled."""

    origin: ClassVar[Origin]

    @classmethod
    def write(cls, path: Path, forms: NameForms, texts: FormTexts) -> None:
        """Fill an empty folder with what `open` needs."""
        ...

    @classmethod
    def open(cls, path: Path, forms: NameForms) -> Self:
        """Open the folder, memory-mapped."""
        ...

    def restricted(self, forms: Mask, concepts: Rows) -> Self:
        """A scorer that finds only these forms, each for its concept in `concepts`."""
        ...

    def match(self, texts: Sequence[str], *, k: int) -> Matches:
        """The forms of at least the k best concepts of each simplified text, and those that tie with the last."""
        ...
