"""A tagger that judges the names of terminologies: beside mentions of its own, or names of phenotypes alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from operator import attrgetter
from string import whitespace
from typing import TYPE_CHECKING

from linnet.batches import batches
from linnet.recognise import Recogniser
from linnet.recognise.chemical_context import CHEMICAL, mean_chemicals
from linnet.recognise.joined import with_free
from linnet.recognise.name_evidence import Judgement
from linnet.recognise.sense_spans import with_short_forms
from linnet.recognise.text_kind import is_note
from linnet.types import Document, Mention
from linnet.words.semantic_groups import group_of_type

if TYPE_CHECKING:
    from linnet.recognise.tagger import Tagger  # slow to import, and only needed where there is one

__all__ = ["JUDGING", "Judge", "PhenotypeRecogniser", "TaggerBesideNames", "beside", "is_part"]

JUDGING = frozenset({"Disease", "Phenotype"})
"""The tagger's types that a phenotype may have: corpora of diseases annotate many of them as diseases."""

_CHARACTERS = 50_000  # of texts that both read in turn, so that the tagger finds the words still cached
_EDGES = f"{whitespace}.,;:"
_SPAN = attrgetter("start", "end")


Judge = Callable[[Sequence[Mention], Sequence[Judgement]], list[float]]
"""From names of a document, and what the tagger says of each, to the probability of each name."""


class _JudgedNames(ABC):
    """What both recognisers share. A text that is a name and nothing else has no context to judge by: the name counts."""

    def __init__(self, tagger: Tagger, names: Recogniser) -> None:
        self._tagger, self._names = tagger, names

    @property
    def types(self) -> frozenset[str]:
        """The types of the names."""
        return self._names.types

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`; mentions in text order, without overlaps."""
        recognised: list[Document] = []
        for batch in batches(documents, characters=_CHARACTERS):
            named = self._names.recognise(batch)
            for names, mentions in zip(named, self._judged(batch, named), strict=True):
                recognised.append(names if _is_whole_text(names) else names.with_mentions(mentions))
        return recognised

    @abstractmethod
    def _judged(self, documents: Sequence[Document], named: Sequence[Document]) -> Iterator[list[Mention]]:
        """The mentions of each document, given the documents with their names."""


class PhenotypeRecogniser(_JudgedNames):
    """Names of phenotypes, without those that the tagger finds too unlikely to be a disease or a phenotype. Not changed by use.

    The tagger adds no mention of its own: few of the diseases that it finds are phenotypes. Mentions have no confidence.
    """

    def __init__(self, tagger: Tagger, names: Recogniser, *, named: float) -> None:
        """named: the tagger's probability of a disease or phenotype from which a name counts, 0 to 1"""
        super().__init__(tagger, names)
        self._named = named

    def _judged(self, documents: Sequence[Document], named: Sequence[Document]) -> Iterator[list[Mention]]:
        judged = self._tagger.span_probabilities(named, types=JUDGING)
        for names, probabilities in zip(named, judged, strict=True):
            pairs = zip(names.mentions, probabilities, strict=True)
            yield [mention for mention, p in pairs if p is not None and p >= self._named]


class TaggerBesideNames(_JudgedNames):
    """A tagger that also judges which names of the terminologies are mentions. Not changed by use.

    A mention of the tagger that is a name counts, and so does a name that it did not choose but a judge finds probable: this also
    in place of what it holds.
    Names of types that it does not know count where nothing else is. Chemicals do not count where the text means a variant or a gene
    (`linnet.recognise.chemical_context`).
    """

    def __init__(
        self,
        tagger: Tagger,
        names: Recogniser,
        *,
        alone: float,
        named: float,
        kinds: Mapping[str, str] | None = None,
        in_notes: Mapping[str, str] | None = None,
        rarely: Mapping[str, float] | None = None,
        judge: Judge,
    ) -> None:
        """
        tagger, names  the recognisers
        alone     confidence from which a mention of the tagger counts that is no name, 0 to 1
        named     probability from which a name counts where no such mention is; it is the mention's confidence
        kinds     types of names → the tagger's type that they mean; None: all are called as the tagger calls them. A mention that is
                  no name has the one type that means the tagger's, the tagger's own where several do
        in_notes  as `kinds`, of types that mean it in notes alone: "suicidal", "candida". Names that are no mentions of it there, and names
                  in other texts, keep their type
        rarely    types of names that only sometimes are what the tagger knows → the tagger's probability that stands for the
                  judge's and `named`. Mentions that are no names have such a type only where there is no other
        judge     how probable names are mentions
        """
        super().__init__(tagger, names)
        self._alone, self._named, self._judge = alone, named, judge
        kinds, self._rarely = kinds or {}, dict(rarely or {})
        self._kinds = {name: kind for name, kind in kinds.items() if name != kind}
        self._in_notes = {**self._kinds, **(in_notes or {})}
        self._labels = {kind: self._label(kind, kinds) for kind in set(kinds.values())}

    def _label(self, kind: str, kinds: Mapping[str, str]) -> str:
        meant = [name for name in kinds if kinds[name] == kind]
        names = [name for name in meant if name not in self._rarely] or meant
        return names[0] if len(names) == 1 else kind

    @property
    def types(self) -> frozenset[str]:
        """The types of both."""
        return super().types | {self._labels.get(type, type) for type in self._tagger.types}

    def _judged(self, documents: Sequence[Document], named: Sequence[Document]) -> Iterator[list[Mention]]:
        alike = []
        for document in named:
            kinds = self._in_notes if is_note(document) else self._kinds
            alike.append(
                document.with_mentions(
                    [replace(m, type=kinds.get(m.type, m.type)) for m in document.mentions]
                )
            )
        judged = self._tagger.recognise_beside(documents, alike)
        for names, same, (tagged, judgements) in zip(named, alike, judged, strict=True):
            chosen = self._chosen(tagged.mentions, same.mentions, names.mentions, judgements)
            chosen = with_short_forms(names, chosen, self._labels)
            yield self._called(chosen, names.mentions) if self._kinds else chosen

    def _called(self, chosen: list[Mention], names: Sequence[Mention]) -> list[Mention]:
        """The mentions with the types of names of their kind in their places, with `kinds` elsewhere."""
        types = {_SPAN(mention): mention.type for mention in names}
        called = []
        for mention in chosen:
            own, name = mention.type, types.get(_SPAN(mention), "")
            is_of_kind = name == own or group_of_type([name]) & group_of_type([own])
            called.append(replace(mention, type=name if is_of_kind else self._labels.get(own, own)))
        return called

    def _chosen(
        self,
        tagged: Sequence[Mention],
        names: Sequence[Mention],
        called: Sequence[Mention],
        judgements: Sequence[Judgement | None],
    ) -> list[Mention]:
        """
        names, called  the names' mentions with the tagger's types, and with their own
        """
        spans = set(map(_SPAN, names))
        own = [m for m in tagged if _SPAN(m) in spans or (m.confidence or 0.0) >= self._alone]
        probable = self._probable(names, called, judgements, own, tagged)
        known = {kind.casefold() for kind in self._tagger.types}
        others = [m for m in called if m.type not in self._kinds and m.type.casefold() not in known]
        return with_free(_in_context(with_free(probable, own)), others)

    def _probable(
        self,
        names: Sequence[Mention],
        called: Sequence[Mention],
        judgements: Sequence[Judgement | None],
        own: Sequence[Mention],
        tagged: Sequence[Mention],
    ) -> list[Mention]:
        """Names that are probable mentions, with their probability, where the tagger has no mention of its own, or only parts of the
        name."""
        found, asked = [], []
        for name, meant, judgement in zip(names, called, judgements, strict=True):
            over = [m for m in own if m.start < name.end and name.start < m.end]
            if judgement is None or not all(is_part(m, name) for m in over):
                continue
            if (least := self._rarely.get(meant.type)) is None:
                seldom = meant.type != name.type and meant.type not in self._kinds
                asked.append((name, beside(judgement, name, tagged, seldom=seldom)))
            elif not over and judgement.exact >= least:
                found.append(replace(name, confidence=judgement.exact))
        learnt = self._judge([name for name, _ in asked], [judgement for _, judgement in asked])
        judged = zip(asked, learnt, strict=True)
        return found + [replace(name, confidence=p) for (name, _), p in judged if p >= self._named]


def beside(judgement: Judgement, name: Mention, tagged: Sequence[Mention], *, seldom: bool) -> Judgement:
    """The judgement with what the name holds of the tagger's mentions."""
    parts = [mention for mention in tagged if is_part(mention, name)]
    if not parts:
        return replace(judgement, seldom=seldom)
    ends = [name.start, *(mention.end for mention in parts)]
    starts = [*(mention.start for mention in parts), name.end]
    added = "".join(name.document.text[a:b] for a, b in zip(ends, starts, strict=True))
    held = max(mention.confidence or 0.0 for mention in parts)
    return Judgement(
        judgement.exact, judgement.within, held, all(m.type != name.type for m in parts), added, seldom
    )


def is_part(mention: Mention, name: Mention) -> bool:
    """Whether a name holds a mention and more."""
    return name.start <= mention.start and mention.end <= name.end and len(name.text) > len(mention.text)


def _is_whole_text(document: Document) -> bool:
    """Whether the document's only mention is all of its text, but for blanks and full stops."""
    return len(document.mentions) == 1 and document.mentions[0].text == document.text.strip(_EDGES)


def _in_context(mentions: list[Mention]) -> list[Mention]:
    """The mentions of one document, without chemicals where the text means a variant or a gene."""
    chemicals = [mention for mention in mentions if mention.type.casefold() == CHEMICAL]
    if not chemicals:
        return mentions
    meant = mean_chemicals(chemicals[0].document.text, list(map(_SPAN, chemicals)))
    others = [mention for mention in mentions if mention.type.casefold() != CHEMICAL]
    return sorted([*others, *compress(chemicals, meant)], key=_SPAN)
