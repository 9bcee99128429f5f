"""Short forms in texts, read in the sense that the text around them speaks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from linnet.link.as_read import is_bare
from linnet.link.choose import Choice
from linnet.read.senses import written_out
from linnet.retrieve.hits import Origin
from linnet.types import Mention

__all__ = ["InSense", "in_sense"]


class InSense(NamedTuple):
    """Mentions and their texts with short forms written out.

    sure  row → how probable the senses are of what was written out; 0 for a short form that names nothing to be linked
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


def in_sense(mentions: Sequence[Mention], texts: Sequence[str]) -> InSense:
    """N mentions as they are read, and their texts with the abbreviations that their documents define expanded.

    What the document defines, what has no text around it and what has no type stays: it may be anything, a measure or a ward, too.
    """
    read, expanded, certainty = list(mentions), list(texts), {}
    for row, (mention, text) in enumerate(zip(mentions, texts, strict=True)):
        if text != mention.text or not mention.type or is_bare(mention):
            continue
        long, sure = written_out(mention)
        if long != text:
            certainty[row] = sure if long else 0.0
        if long and long != text:
            read[row], expanded[row] = replace(mention, text=long), long
    return InSense(read, expanded, certainty)
