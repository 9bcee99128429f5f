"""What a mention may be read as: its text, another text where it is no name, and the parts of a composite."""

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

    gain    score gain it needs over the text as written if it is no name; None: always use it
    origin  what candidates found through it say of themselves
    """

    text: str
    gain: float | None
    origin: Origin = Origin(0)


class Variants(NamedTuple):
    """The texts that may be searched for in place of a mention.

    text     as written, abbreviations spelt out
    rewrite  None where the text is a name, or there is no other way to read it
    splits   for the text, and for its rewrite: the ways to take it apart
    """

    text: str
    rewrite: Rewrite | None
    splits: dict[str, list[list[str]]]

    @classmethod
    def of_name(cls, text: str) -> Variants:
        """Those of a text that is a name: no other."""
        return cls(text, None, {})

    @classmethod
    def of(cls, text: str, other: Rewrite | None, *, composites: bool) -> Variants:
        """Those of a text that is no name, or not word for word; `composites`: the parts of one too."""
        texts = [text] if other is None else [other.text] if other.gain is None else [text, other.text]
        return cls(text, other, {read: possible_splits(read) for read in texts} if composites else {})

    def texts(self) -> Iterator[str]:
        """All texts to search for; some more than once."""
        yield self.text
        if self.rewrite is not None:
            yield self.rewrite.text
        for ways in self.splits.values():
            for parts in ways:
                yield from parts


def rewrite(written: str, text: str, respelt: Callable[[str], str | None]) -> Rewrite | None:
    """Another way to read a text that is no name: a drug without its dose, a symbol by its name, misspelt words corrected.

    written  the mention's own text, which differs from `text` where an abbreviation was spelt out
    respelt  the text with its misspelt words corrected, or None

    A symbol is spelt out only where the document does not define it.
    """
    bare = strip_doses(text)
    if bare and bare != text:
        return Rewrite(bare, None)
    # Where an abbreviation was spelt out to no avail, the text as written may be a name.
    name = written if text != written else chemical_name(text)
    if name:
        return Rewrite(name, np.inf)
    corrected = respelt(text)
    return Rewrite(corrected, _RESPELT_GAIN, Origin.SPELLING) if corrected else None
