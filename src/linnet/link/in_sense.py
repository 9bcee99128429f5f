"""Short forms in texts, read in the sense that the text around them speaks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from linnet.link.as_read import is_bare
from linnet.link.choose import Choice
from linnet.read.senses import OTHER, Sense, senses
from linnet.retrieve.hits import Origin
from linnet.types import Mention

__all__ = ["InSense", "in_sense"]


class InSense(NamedTuple):
    """Mentions and their texts with short forms written out.

    chosen  row → the likeliest sense of a mention that is a short form; with `OTHER` it stays as it is written
    """

    mentions: list[Mention]
    texts: list[str]
    chosen: Mapping[int, Sense]

    def judged(self, choice: Choice) -> Choice:
        """The choice with how sure the senses are: NIL where the sense names nothing, or the mention is more likely nothing."""
        confidence = dict(choice.confidence)
        for row, sense in self.chosen.items():
            is_other = sense.kind == OTHER
            confidence[row] = 0.0 if is_other else confidence.get(row, 1.0) * sense.probability
            if not is_other:
                choice.hits.origins[row, choice.hits.concepts[row] >= 0] |= np.uint16(Origin.ABBREVIATION)
        expanded = choice.expanded | {row for row, sense in self.chosen.items() if sense.kind != OTHER}
        return choice._replace(confidence=confidence, expanded=frozenset(expanded))


def in_sense(mentions: Sequence[Mention], texts: Sequence[str]) -> InSense:
    """N mentions as they are read, and their texts with the abbreviations that their documents define expanded; what the document
    defines, what has no text around it and what has no type stays, as it may be anything, a measure or a ward, too."""
    chosen = {}
    for row, (mention, text) in enumerate(zip(mentions, texts, strict=True)):
        if text == mention.text and mention.type and not is_bare(mention) and (found := senses(mention)):
            chosen[row] = found[0]
    written_out = {row: sense.long for row, sense in chosen.items() if sense.kind != OTHER}
    return InSense(
        [replace(m, text=written_out[row]) if row in written_out else m for row, m in enumerate(mentions)],
        [written_out.get(row, text) for row, text in enumerate(texts)],
        chosen,
    )
