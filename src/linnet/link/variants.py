"""Variants of a mention: its text, a rewrite if the text is not a name, and the parts of a composite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from linnet.recognise.chemical_symbols import chemical_name
from linnet.recognise.composites import possible_splits
from linnet.recognise.doses import strip_doses
from linnet.retrieve.hits import Origin

__all__ = ["Rewrite", "Variants", "rewrite"]

_RESPELT_GAIN = 0.1


class Rewrite(NamedTuple):
    """Another text for a mention.

    gain    score gain that a rewrite needs if it is not a name; None: always use it
    origin  flags for candidates found through it
    """

    text: str
    gain: float | None
    origin: Origin = Origin(0)


class Variants(NamedTuple):
    """The texts that may be searched for in place of a mention.

    text     as written, abbreviations expanded
    rewrite  None if the text is a name, or has no rewrite
    splits   possible splits of the text, and of its rewrite
    """

    text: str
    rewrite: Rewrite | None
    splits: dict[str, list[list[str]]]

    @classmethod
    def of_name(cls, text: str) -> Variants:
        """The variants of a text that is a name: only itself."""
        return cls(text, None, {})

    @classmethod
    def of(cls, text: str, other: Rewrite | None, *, composites: bool) -> Variants:
        """The variants of a text that is not literally a name; `composites`: with possible splits."""
        texts = [text] if other is None else [other.text] if other.gain is None else [text, other.text]
        return cls(text, other, {read: possible_splits(read) for read in texts} if composites else {})

    def texts(self) -> Iterator[str]:
        """All texts to search; some more than once."""
        yield self.text
        if self.rewrite is not None:
            yield self.rewrite.text
        for ways in self.splits.values():
            for parts in ways:
                yield from parts


def rewrite(written: str, text: str, respelt: Callable[[str], str | None]) -> Rewrite | None:
    """A rewrite of a text that is not a name: a drug without its dose, a chemical symbol by name, misspelt words corrected.

    written  the mention's own text, which differs from `text` if an abbreviation was expanded
    respelt  gives the text with its misspelt words corrected, or None

    A symbol is replaced only if the document does not define it.
    """
    bare = strip_doses(text)
    if bare and bare != text:
        return Rewrite(bare, None)
    # If the expanded abbreviation is not a name, the text as written may be one.
    name = written if text != written else chemical_name(text)
    if name:
        return Rewrite(name, np.inf)
    corrected = respelt(text)
    return Rewrite(corrected, _RESPELT_GAIN, Origin.SPELLING) if corrected else None
