"""What linking is going to search for besides the mentions' texts, so that one look through the indexes finds all of it."""

from __future__ import annotations

from collections.abc import Sequence

from linnet.link.queries import Queries
from linnet.link.readings import other_reading
from linnet.recognise.composites import alternatives
from linnet.retrieve.exact import SCORES
from linnet.types import Mention

__all__ = ["foreseen"]


def foreseen(
    mentions: Sequence[Mention], texts: Sequence[str], queries: Queries, *, composites: bool
) -> list[str]:
    """Other readings of the texts that are no names, and the parts of those that may be composites, each once.

    Texts that were searched for before are passed over. Nothing depends on what is foreseen but the time it takes.
    """
    new: dict[str, Mention] = {}
    for mention, text in zip(mentions, texts, strict=True):
        if not queries.knows(text):
            new.setdefault(text, mention)
    wanted: dict[str, None] = {}
    for (text, mention), score in zip(new.items(), queries.named(list(new)), strict=True):
        if score >= SCORES["simplify"]:
            continue
        reading = other_reading(mention, text, queries) if not score else None
        if reading is not None:
            wanted[reading[0]] = None
        # A dose is dropped in any case; of other readings it is open which one stays.
        readings = [text] if reading is None else [reading[0]] if reading[1] is None else [text, reading[0]]
        if composites:
            ways = (parts for read in readings for parts in alternatives(read))
            wanted.update((part, None) for parts in ways for part in parts)
    return list(wanted)
