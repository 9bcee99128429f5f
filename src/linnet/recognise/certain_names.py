"""Names that people chose count wherever they stand, whatever another recogniser thinks of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from linnet.recognise import Recogniser
from linnet.types import Document, Mention

__all__ = ["CertainNames"]


class CertainNames:
    """The mentions of a recogniser, and names that always count, unless a mention reaches beyond them. Not changed by use."""

    def __init__(self, recogniser: Recogniser, names: Recogniser) -> None:
        """
        recogniser  finds mentions that do not overlap
        names       finds the names that count
        """
        self._recogniser, self._names = recogniser, names

    @property
    def types(self) -> frozenset[str]:
        """The types of both."""
        return self._recogniser.types | self._names.types

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`; mentions in text order, without overlaps. A mention within a name gives way to it."""
        pairs = zip(self._recogniser.recognise(documents), self._names.recognise(documents), strict=True)
        return [
            document.with_mentions(_with_names(found.mentions, named.mentions))
            for document, (found, named) in zip(documents, pairs, strict=True)
        ]


def _with_names(mentions: Sequence[Mention], names: Sequence[Mention]) -> list[Mention]:
    kept = sorted(mentions, key=lambda mention: mention.start)
    starts, ends = [mention.start for mention in kept], [mention.end for mention in kept]
    gone: set[int] = set()
    added = []
    for name in names:
        touched = range(bisect_right(ends, name.start), bisect_left(starts, name.end))
        inside = all(name.start <= starts[place] and ends[place] <= name.end for place in touched)
        same = any((starts[place], ends[place]) == (name.start, name.end) for place in touched)
        if inside and not same:
            gone.update(touched)
            added.append(name)
    rest = [mention for place, mention in enumerate(kept) if place not in gone]
    return sorted([*rest, *added], key=lambda mention: mention.start)
