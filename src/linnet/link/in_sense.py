"""Short forms in texts, read in the sense that the text around them speaks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from linnet.link.as_read import is_bare
from linnet.link.choose import Choice
from linnet.read.sections import is_heading
from linnet.read.senses import OTHER, senses_of, written_out
from linnet.recognise.text_kind import is_note
from linnet.retrieve.hits import Origin
from linnet.types import Mention

__all__ = ["InSense", "in_sense"]


class InSense(NamedTuple):
    """Mentions and their texts with short forms written out.

    sure  row → how probable the senses are of what was written out; 0 for what names nothing to be linked
    """

    mentions: list[Mention]
    texts: list[str]
    sure: Mapping[int, float]

    def judged(self, choice: Choice) -> Choice:
        """The choice with how sure the senses are: NIL where they name nothing."""
        confidence = dict(choice.confidence)
        for row, sure in self.sure.items():
            confidence[row] = confidence.get(row, 1.0) * sure
            choice.hits.origins[row, choice.hits.concepts[row] >= 0] |= np.uint16(Origin.ABBREVIATION)
        return choice._replace(confidence=confidence, expanded=choice.expanded | self.sure.keys())


Check = Callable[[Sequence[str]], Sequence[bool]]
"""Whether each of N texts is literally a name."""


def in_sense(mentions: Sequence[Mention], texts: Sequence[str], *, known: Check, taught: Check) -> InSense:
    """N mentions as they are read, and their texts with the abbreviations that their documents define expanded.

    known   by the terminologies
    taught  to the linker by people

    What the document defines, what people taught, what has no text around it and what has no type stays: it may be anything, a measure or
    a ward, too. So do names of which the terminologies know no sense. In a note, a mention in the heading of a section names nothing, nor
    does one in a sense that is neither disease nor substance; in a paper these senses are not those of the tables.
    """
    read, expanded, certainty = list(mentions), list(texts), {}
    candidates = [
        row
        for row, (mention, text) in enumerate(zip(mentions, texts, strict=True))
        if text == mention.text and mention.type and not is_bare(mention)
    ]
    for row, is_own in zip(candidates, _own(mentions, candidates, known, taught), strict=True):
        mention = mentions[row]
        in_note = is_note(mention.document)
        if in_note and is_heading(mention.document.text, mention.start):
            certainty[row] = 0.0
        elif not is_own:
            long, sure = written_out(mention)
            if long != mention.text and (long or in_note):
                certainty[row] = sure if long else 0.0
            if long:
                read[row], expanded[row] = replace(mention, text=long), long
    return InSense(read, expanded, certainty)


def _own(mentions: Sequence[Mention], rows: Sequence[int], known: Check, taught: Check) -> list[bool]:
    """Whether the text of each of these mentions is a name of its own: taught, one beside which no long form is known, or one that
    is no short form, though a word of it may be ("phenyl isocyanate")."""
    texts = [mentions[row].text for row in rows]
    longs = [[sense.long for sense in senses_of(text) if sense.kind != OTHER] for text in texts]
    every = list(dict.fromkeys([*texts, *(long for of_text in longs for long in of_text)]))
    names = {text for text, is_name in zip(every, known(every), strict=True) if is_name}
    return [
        is_taught or (text in names and (bool(of_text) or not senses_of(text)) and names.isdisjoint(of_text))
        for text, of_text, is_taught in zip(texts, longs, taught(texts), strict=True)
    ]
