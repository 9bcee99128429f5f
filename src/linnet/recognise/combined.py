"""Recognisers made of others: two combined, a tagger that judges names, and one with a stop list."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import accumulate
from string import whitespace
from typing import TYPE_CHECKING

from linnet.batches import batches
from linnet.recognise import Recogniser
from linnet.recognise.chemical_context import CHEMICAL, mean_chemicals
from linnet.semantic_groups import group_of_type, single_kind
from linnet.text import simplify
from linnet.types import Document, Mention

if TYPE_CHECKING:
    from linnet.recognise.tagger import Tagger  # slow to import, and only needed where there is one

__all__ = ["CHARACTERS", "CombinedRecogniser", "FilteredRecogniser", "TaggerBesideNames", "is_whole_text"]


class CombinedRecogniser:
    """Confident mentions of the first recogniser, and those of the second that overlap none of them. Not changed by use."""

    def __init__(self, first: Recogniser, second: Recogniser, *, min_confidence: float) -> None:
        """min_confidence  of the first recogniser's mentions, 0 to 1; mentions without a confidence always count"""
        self._first, self._second, self._min_confidence = first, second, min_confidence

    @property
    def types(self) -> frozenset[str]:
        """The types of both."""
        return self._first.types | self._second.types

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`; mentions in text order."""
        pairs = zip(self._first.recognise(documents), self._second.recognise(documents), strict=True)
        return [
            document.with_mentions(_joined(list(filter(self._is_confident, first.mentions)), second.mentions))
            for document, (first, second) in zip(documents, pairs, strict=True)
        ]

    def _is_confident(self, mention: Mention) -> bool:
        return mention.confidence is None or mention.confidence >= self._min_confidence


CHARACTERS = 50_000  # of texts that both read in turn, so that the tagger finds the words still cached
_EDGES = f"{whitespace}.,;:"


class TaggerBesideNames:
    """A tagger that also judges which names of the terminologies are mentions. Not changed by use.

    A mention of the tagger that is a name always counts, and so does a name that it only just rejected. Names of types that
    it does not know count where nothing else is. Chemicals do not count where the text means a variant or a gene
    (`linnet.recognise.chemical_context`). A text that is a name and nothing else has no context to judge by: the name counts.
    """

    def __init__(
        self,
        tagger: Tagger,
        names: Recogniser,
        *,
        alone: float,
        named: float,
        kind: str = "",
        label: str = "",
    ) -> None:
        """
        tagger, names  the recognisers
        alone     confidence from which a mention of the tagger counts that is no name, 0 to 1
        named     the tagger's probability from which a name counts where no such mention is; it is the mention's confidence
        kind      the tagger's type that stands for all types of diseases, or of chemicals; "": names are of its types if called so
        label     what its mentions are called that are no names, if `kind` is given
        """
        self._tagger, self._names = tagger, names
        self._alone, self._named = alone, named
        self._kind, self._label = kind, label

    @property
    def types(self) -> frozenset[str]:
        """The types of both."""
        return self._names.types | ({self._label} if self._kind else self._tagger.types)

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`; mentions in text order, without overlaps."""
        return [
            document
            for batch in batches(documents, characters=CHARACTERS)
            for document in self._recognised(batch)
        ]

    def _recognised(self, documents: Sequence[Document]) -> list[Document]:
        named = self._names.recognise(documents)
        alike = [self._of_its_kind(document) for document in named] if self._kind else named
        judged = self._tagger.recognise_beside(documents, alike)
        return [
            names
            if is_whole_text(names)
            else document.with_mentions(
                self._called(self._chosen(tagged.mentions, same.mentions, probabilities), names.mentions)
            )
            for document, names, same, (tagged, probabilities) in zip(
                documents, named, alike, judged, strict=True
            )
        ]

    def _of_its_kind(self, document: Document) -> Document:
        return document.with_mentions(
            [
                replace(mention, type=self._kind)
                if single_kind(group_of_type([mention.type or ""])) == self._kind
                else mention
                for mention in document.mentions
            ]
        )

    def _called(self, chosen: list[Mention], names: Sequence[Mention]) -> list[Mention]:
        """The mentions with the types of the names in their places, `label` elsewhere."""
        if not self._kind:
            return chosen
        types = {(mention.start, mention.end): mention.type for mention in names}
        return [
            replace(mention, type=types.get((mention.start, mention.end), self._label)) for mention in chosen
        ]

    def _chosen(
        self, tagged: Sequence[Mention], names: Sequence[Mention], probabilities: Sequence[float | None]
    ) -> list[Mention]:
        spans = {(mention.start, mention.end) for mention in names}
        own = [
            mention
            for mention in tagged
            if (mention.start, mention.end) in spans or (mention.confidence or 0.0) >= self._alone
        ]
        known = {kind.casefold() for kind in self._tagger.types}
        added = [
            replace(mention, confidence=probability)
            for mention, probability in zip(names, probabilities, strict=True)
            if probability is not None and probability >= self._named
        ]
        others = [mention for mention in names if (mention.type or "").casefold() not in known]
        return _joined(_in_context(_joined(own, added)), others)


def is_whole_text(document: Document) -> bool:
    """Whether the document's only mention is all of its text, but for blanks and full stops."""
    return len(document.mentions) == 1 and document.mentions[0].text == document.text.strip(_EDGES)


def _in_context(mentions: list[Mention]) -> list[Mention]:
    """The mentions of one document, without chemicals where the text means a variant or a gene."""
    chemicals = [mention for mention in mentions if (mention.type or "").casefold() == CHEMICAL]
    if not chemicals:
        return mentions
    spans = [(mention.start, mention.end) for mention in chemicals]
    meant = mean_chemicals(chemicals[0].document.text, spans)
    refused = {span for span, is_chemical in zip(spans, meant, strict=True) if not is_chemical}
    return [
        mention
        for mention in mentions
        if (mention.start, mention.end) not in refused or (mention.type or "").casefold() != CHEMICAL
    ]


def _joined(mentions: Sequence[Mention], others: Sequence[Mention]) -> list[Mention]:
    """The mentions, and the others that overlap none of them."""
    spans = sorted((mention.start, mention.end) for mention in mentions)
    starts = [start for start, _ in spans]
    last_ends = list(accumulate((end for _, end in spans), max))  # of all spans that begin no later

    def is_free(mention: Mention) -> bool:
        before = bisect_right(starts, mention.end - 1)
        return not before or last_ends[before - 1] <= mention.start

    return sorted([*mentions, *filter(is_free, others)], key=lambda mention: (mention.start, mention.end))


class FilteredRecogniser:
    """Another recogniser without the names in a stop list. Not changed by use."""

    def __init__(self, recogniser: Recogniser, stops: Collection[str]) -> None:
        """stops  normal forms (`linnet.text.simplify`) of names that are not mentions in these texts"""
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
