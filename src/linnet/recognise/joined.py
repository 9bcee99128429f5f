"""Mentions of two recognisers in one document, and a recogniser with a stop list."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate
from operator import attrgetter

from linnet.recognise import Recogniser
from linnet.types import Document, Mention
from linnet.words.text import simplify

__all__ = ["FilteredRecogniser", "JoinedRecogniser", "confident_first", "names_first", "with_free"]

_START, _END, _SPAN = attrgetter("start"), attrgetter("end"), attrgetter("start", "end")
Join = Callable[[Sequence[Mention], Sequence[Mention]], list[Mention]]


class JoinedRecogniser:
    """The mentions of two recognisers. Not changed by use."""

    def __init__(self, first: Recogniser, second: Recogniser, join: Join) -> None:
        """join: from a document's mentions by both to those that count, in text order"""
        self._first, self._second, self._join = first, second, join

    @property
    def types(self) -> frozenset[str]:
        """The types of both."""
        return self._first.types | self._second.types

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`; mentions in text order."""
        pairs = zip(self._first.recognise(documents), self._second.recognise(documents), strict=True)
        return [
            document.with_mentions(self._join(first.mentions, second.mentions))
            for document, (first, second) in zip(documents, pairs, strict=True)
        ]


class FilteredRecogniser:
    """Another recogniser without the names in a stop list. Not changed by use."""

    def __init__(self, recogniser: Recogniser, stops: Collection[str]) -> None:
        """stops  normal forms (`linnet.words.text.simplify`) of names that are not mentions in these texts"""
        self._recogniser, self._stops = recogniser, frozenset(stops)

    @property
    def types(self) -> frozenset[str]:
        """The types of the other recogniser."""
        return self._recogniser.types

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`."""
        return [
            document.with_mentions([m for m in document.mentions if simplify(m.text) not in self._stops])
            for document in self._recogniser.recognise(documents)
        ]


def confident_first(min_confidence: float) -> Join:
    """Mentions with at least this confidence, 0 to 1, or without a confidence, and the others that overlap none of them."""

    def join(mentions: Sequence[Mention], others: Sequence[Mention]) -> list[Mention]:
        confident = [m for m in mentions if m.confidence is None or m.confidence >= min_confidence]
        return with_free(confident, others)

    return join


def with_free(mentions: Sequence[Mention], others: Sequence[Mention]) -> list[Mention]:
    """The mentions, and the others that overlap none of them, in text order."""
    spans = sorted(map(_SPAN, mentions))
    starts = [start for start, _ in spans]
    last_ends = list(accumulate((end for _, end in spans), max))  # of all spans that begin no later

    def is_free(mention: Mention) -> bool:
        before = bisect_right(starts, mention.end - 1)
        return not before or last_ends[before - 1] <= mention.start

    return sorted([*mentions, *filter(is_free, others)], key=_SPAN)


def names_first(mentions: Sequence[Mention], names: Sequence[Mention]) -> list[Mention]:
    """The names unless a mention reaches beyond them, and the mentions that overlap none of these names, in text order.

    mentions, names  without overlaps. A mention at the place of a name stays

    For names that people chose, which count whatever another recogniser thinks of them.
    """
    kept = sorted(mentions, key=_START)
    starts, ends = list(map(_START, kept)), list(map(_END, kept))

    def counts(name: Mention) -> bool:
        touched = range(bisect_right(ends, name.start), bisect_left(starts, name.end))
        inside = all(name.start <= starts[place] and ends[place] <= name.end for place in touched)
        return inside and not any(_SPAN(kept[place]) == _SPAN(name) for place in touched)

    return with_free(list(filter(counts, names)), mentions)
