"""Other ways to read a mention that is not a name as it stands: a symbol by its name, a drug without its dose, a word respelt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.link.queries import Queries, is_name
from linnet.recognise.doses import strip_doses
from linnet.recognise.symbols import spell_out
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Mention

__all__ = ["choose_readings", "other_reading"]

_RESPELT = 0.1


def choose_readings(
    mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, queries: Queries, *, k: int
) -> tuple[list[str], Hits]:
    """The texts and hits of the mentions, read otherwise where that finds a name and the text itself is none.

    A symbol is spelt out only where the document does not say what it stands for. A dose is dropped in any case. A word that
    no name has is respelt where that finds a name, or something that matches better by `_RESPELT`.
    """
    others: dict[int, str] = {}
    gains: dict[int, float] = {}  # by how much a reading that is no name must match better
    for row, (mention, text) in enumerate(zip(mentions, texts, strict=True)):
        reading = None if is_name(hits, row) else other_reading(mention, text, queries)
        if reading is not None:
            others[row], gain = reading
            if gain is not None:
                gains[row] = gain
    if not others:
        return list(texts), hits
    found = queries.search(list(others.values()), k=k)
    spelt = [place for place, row in enumerate(others) if gains.get(row) == _RESPELT]
    found.origins[spelt] |= np.where(found.concepts[spelt] >= 0, Origin.SPELLING, 0).astype(np.uint16)
    read, places = list(texts), np.arange(len(texts))
    for place, (row, other) in enumerate(others.items()):
        # Python's numbers: of two texts that find nothing, −inf − −inf is NaN without a warning, and no gain.
        better = float(found.scores[place, 0]) - float(hits.scores[row, 0]) if k else 0.0
        if row not in gains or is_name(found, place) or better >= gains[row]:
            read[row], places[row] = other, len(texts) + place
    return read, Hits.stack([hits, found]).take(places)


def other_reading(mention: Mention, text: str, queries: Queries) -> tuple[str, float | None] | None:
    """Another way to read a text that is no name, and by how much more it must score if it is none either; None for in any
    case, infinity for never."""
    bare = strip_doses(text)
    if bare and bare != text:
        return bare, None
    # Where an abbreviation was spelt out to no avail, the text as it stands may be a name.
    name = mention.text if text != mention.text else spell_out(text)
    if name:
        return name, np.inf
    respelt = queries.respelt(text)
    return (respelt, _RESPELT) if respelt else None
