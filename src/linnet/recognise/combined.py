"""Recognisers made of others: what one is sure of and a second finds beside it; all but some names."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence

from linnet.recognise import Recogniser
from linnet.text import simplify
from linnet.types import Document, Mention

__all__ = ["CombinedRecogniser", "SparingRecogniser"]


class CombinedRecogniser:
    """Mentions of the first that it is sure of; of the second, those that overlap none of them. Not changed by use."""

    def __init__(self, first: Recogniser, second: Recogniser, *, sure: float) -> None:
        """sure  confidence, 0 to 1, from which on a mention of the first counts; one without any does"""
        self._first, self._second, self._sure = first, second, sure

    @property
    def types(self) -> frozenset[str]:
        """Those of both."""
        return self._first.types | self._second.types

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`; mentions in the order of the text."""
        both = zip(
            documents, self._first.recognise(documents), self._second.recognise(documents), strict=True
        )
        return [
            document.with_mentions(
                _beside([one for one in first.mentions if self._counts(one)], second.mentions)
            )
            for document, first, second in both
        ]

    def _counts(self, mention: Mention) -> bool:
        return mention.confidence is None or mention.confidence >= self._sure


def _beside(kept: Sequence[Mention], others: Sequence[Mention]) -> list[Mention]:
    """What is kept, and of the others what overlaps none of it."""
    places = sorted((mention.start, mention.end) for mention in kept)
    starts = [start for start, _ in places]
    furthest: list[int] = []  # end of what begins no later
    for _, end in places:
        furthest.append(max(end, furthest[-1] if furthest else 0))

    def free(mention: Mention) -> bool:
        before = bisect_right(starts, mention.end - 1)
        return not before or furthest[before - 1] <= mention.start

    return sorted(
        [*kept, *(mention for mention in others if free(mention))],
        key=lambda mention: (mention.start, mention.end),
    )


class SparingRecogniser:
    """All that another finds but some names. Not changed by use."""

    def __init__(self, recogniser: Recogniser, stops: Collection[str]) -> None:
        """stops  normal forms (`linnet.text.simplify`) of what is no mention here"""
        self._recogniser, self._stops = recogniser, frozenset(stops)

    @property
    def types(self) -> frozenset[str]:
        """Those of the other."""
        return self._recogniser.types

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`."""
        return [
            document.with_mentions(
                [one for one in document.mentions if simplify(one.text) not in self._stops]
            )
            for document in self._recogniser.recognise(documents)
        ]
