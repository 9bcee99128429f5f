"""Variants of a mention: its text, a rewrite if the text is not a name, and the parts of a composite."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from linnet.link.readings import SURE_SHARE
from linnet.read.chemical_symbols import chemical_name
from linnet.read.composites import possible_splits
from linnet.read.doses import strip_doses
from linnet.read.shorthand import expansions
from linnet.retrieve.hits import Origin

__all__ = ["Rewrite", "Variants", "rewrite"]

_RESPELT_GAIN = 0.1
# Short forms that are names, of long forms that are none, in the training sets of NCBI and BC5CDR, tmVar3 and NLM-Chem: those
# of up to three letters and digits ("SD", "TBS") mean what they name in 43 of 69 cases, in 43 of 46 where the long form's best
# candidates agree; longer ones ("FK506", "DAPI") in 60 of 67.
_AMBIGUOUS = 3
_SHORT_FORM_MARGIN = 0.1
_SHORT_FORM = re.compile(r"[A-Za-z0-9-]{2,8}")


class Rewrite(NamedTuple):
    """Another text for a mention.

    gain    score gain that a rewrite needs if it is not a name; None: always use it
    origin  flags for candidates found through it
    within  a rewrite that is a name is used only if its concept is a candidate of the text itself, scoring at most so
            much below the best; None: whatever the text's candidates are
    """

    text: str
    gain: float | None
    origin: Origin = Origin(0)
    within: float | None = None


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


def rewrite(
    written: str, text: str, respelt: Callable[[str], str | None], *, shorthand: bool = False
) -> Rewrite | None:
    """A rewrite of a text that is not a name: a name without its dose, a chemical symbol by name, misspelt words corrected.

    written  the mention's own text, which differs from `text` if an abbreviation was expanded
    respelt  gives the text with its misspelt words corrected, or None

    shorthand  also a clinical short form that nearly always has one reading written out

    A symbol or short form is replaced only if the document does not define it.
    """
    bare = strip_doses(text)
    if bare and bare != text:
        return Rewrite(bare, None)
    if text != written:
        # The document's definition comes first. A short form that is a name only decides among what the long form may mean.
        ambiguous = sum(map(str.isalnum, written)) <= _AMBIGUOUS
        return Rewrite(written, np.inf, within=_SHORT_FORM_MARGIN if ambiguous else None)
    name = chemical_name(text)
    if name:
        return Rewrite(name, np.inf)
    if shorthand and (long := _written_out(text)):
        return Rewrite(long, np.inf, Origin.ABBREVIATION)
    corrected = respelt(text)
    return Rewrite(corrected, _RESPELT_GAIN, Origin.SPELLING) if corrected else None


def _written_out(text: str) -> str | None:
    """What a short form stands for that is no word and nearly always has one reading; None for other texts."""
    if not _SHORT_FORM.fullmatch(text):
        return None
    return next(
        (
            long.text
            for long in expansions(text)
            if long.whole and long.share >= SURE_SHARE and not long.is_synonym
        ),
        None,
    )
