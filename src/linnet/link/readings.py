"""Other ways to read a mention that is not a name as it stands: a chemical symbol by its name, a drug without its dose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.link.queries import Queries, is_name
from linnet.recognise.doses import strip_doses
from linnet.recognise.symbols import spell_out
from linnet.retrieve.hits import Hits
from linnet.types import Mention

__all__ = ["choose_readings"]


def choose_readings(
    mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, queries: Queries, *, k: int
) -> tuple[list[str], Hits]:
    """The texts and hits of the mentions, read otherwise where that finds a name and the text itself is none.

    A symbol is spelt out only where the document does not say what it stands for. A dose is dropped in any case.
    """
    others: dict[int, str] = {}
    only_names: set[int] = set()
    for row, (mention, text) in enumerate(zip(mentions, texts, strict=True)):
        if is_name(hits, row):
            continue
        bare = strip_doses(text)
        if bare and bare != text:
            others[row] = bare
            continue
        # Where an abbreviation was spelt out to no avail, the text as it stands may be a name.
        name = mention.text if text != mention.text else spell_out(text)
        if name:
            others[row] = name
            only_names.add(row)
    if not others:
        return list(texts), hits
    found = queries.search(list(others.values()), k=k)
    read, places = list(texts), np.arange(len(texts))
    for place, (row, other) in enumerate(others.items()):
        if row not in only_names or is_name(found, place):
            read[row], places[row] = other, len(texts) + place
    return read, Hits.stack([hits, found]).take(places)
