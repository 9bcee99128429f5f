"""Recognisers made of others: two combined, a tagger that judges names, and one with a stop list."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from string import whitespace
from typing import TYPE_CHECKING

from linnet.batches import batches
from linnet.read.divide.series import is_enumeration
from linnet.recognise import Recogniser
from linnet.recognise.chemical_context import CHEMICAL, mean_chemicals
from linnet.semantic_groups import group_of_type
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
        kinds: Mapping[str, str] | None = None,
        rarely: Mapping[str, float] | None = None,
    ) -> None:
        """
        tagger, names  the recognisers
        alone     confidence from which a mention of the tagger counts that is no name, 0 to 1
        named     the tagger's probability from which a name counts where no such mention is; it is the mention's confidence
        kinds     types of names → the tagger's type that they mean; None: all are called as the tagger calls them. A mention that is
                  no name has the one type that means the tagger's, the tagger's own where several do
        rarely    types of names that only sometimes are what the tagger knows → the probability that stands for `named`. Mentions
                  that are no names have such a type only where there is no other
        """
        self._tagger, self._names = tagger, names
        self._alone, self._named = alone, named
        kinds, self._rarely = kinds or {}, dict(rarely or {})
        self._kinds = {name: kind for name, kind in kinds.items() if name != kind}
        self._labels = {kind: self._label(kind, kinds) for kind in set(kinds.values())}

    def _label(self, kind: str, kinds: Mapping[str, str]) -> str:
        meant = [name for name in kinds if kinds[name] == kind]
        names = [name for name in meant if name not in self._rarely] or meant
        return names[0] if len(names) == 1 else kind

    @property
    def types(self) -> frozenset[str]:
        """The types of both."""
        return self._names.types | {self._labels.get(type, type) for type in self._tagger.types}

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`; mentions in text order, without overlaps."""
        return [
            document
            for batch in batches(documents, characters=CHARACTERS)
            for document in self._recognised(batch)
        ]

    def _recognised(self, documents: Sequence[Document]) -> list[Document]:
        named = self._names.recognise(documents)
        alike = [self._of_its_types(document) for document in named]
        judged = self._tagger.recognise_beside(documents, alike)
        return [
            names
            if is_whole_text(names)
            else document.with_mentions(
                self._called(
                    self._chosen(tagged.mentions, same.mentions, names.mentions, probabilities),
                    names.mentions,
                )
            )
            for document, names, same, (tagged, probabilities) in zip(
                documents, named, alike, judged, strict=True
            )
        ]

    def _of_its_types(self, document: Document) -> Document:
        if not self._kinds:
            return document
        return document.with_mentions(
            [
                replace(mention, type=self._kinds.get(mention.type or "", mention.type))
                for mention in document.mentions
            ]
        )

    def _called(self, chosen: list[Mention], names: Sequence[Mention]) -> list[Mention]:
        """The mentions with the types of names of their kind in their places, with `kinds` elsewhere."""
        if not self._kinds:
            return chosen
        types = {(mention.start, mention.end): mention.type or "" for mention in names}
        called = []
        for mention in chosen:
            own = mention.type or ""
            name = types.get((mention.start, mention.end), "")
            is_of_kind = name == own or group_of_type([name]) & group_of_type([own])
            called.append(replace(mention, type=name if is_of_kind else self._labels.get(own, own)))
        return called

    def _chosen(
        self,
        tagged: Sequence[Mention],
        names: Sequence[Mention],
        called: Sequence[Mention],
        probabilities: Sequence[float | None],
    ) -> list[Mention]:
        """
        names, called  the names' mentions with the tagger's types, and with their own
        """
        spans = {(mention.start, mention.end) for mention in names}
        own = [
            mention
            for mention in tagged
            if (mention.start, mention.end) in spans or (mention.confidence or 0.0) >= self._alone
        ]
        known = {kind.casefold() for kind in self._tagger.types}
        added = [
            replace(mention, confidence=probability)
            for mention, name, probability in zip(names, called, probabilities, strict=True)
            if probability is not None and probability >= self._rarely.get(name.type or "", self._named)
        ]
        others = [mention for mention in names if (mention.type or "").casefold() not in known]
        chosen = _joined(_in_context(_joined(own, added)), others)
        wholes = self._wholes(names, tagged, probabilities)
        return _joined([whole for whole in wholes if not _is_inside(whole, chosen)], chosen)

    def _wholes(
        self, names: Sequence[Mention], tagged: Sequence[Mention], probabilities: Sequence[float | None]
    ) -> list[Mention]:
        """Names of which the tagger often sees only a part: lists ("hepatitis A, B and C"), and where it sees one, those that end with
        "A".
        """
        wholes = []
        for name, probability in zip(names, probabilities, strict=True):
            is_list = is_enumeration(name.text)
            if is_list or name.text.endswith(" A"):
                seen = [m.confidence or 0.0 for m in tagged if m.start < name.end and name.start < m.end]
                if is_list or seen:
                    confidence = max([self._named, probability or 0.0, *seen])
                    wholes.append(replace(name, confidence=confidence))
        return wholes


def _is_inside(mention: Mention, others: Sequence[Mention]) -> bool:
    """Whether another mention holds it and more."""
    return any(
        other.start <= mention.start and mention.end <= other.end and len(other.text) > len(mention.text)
        for other in others
    )


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
