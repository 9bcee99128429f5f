"""The linker: searches the variants of all mentions together, chooses one of each, and reranks its candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import repeat
from pathlib import Path
from pickle import PicklingError
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from linnet.advice import Step
from linnet.arrays import Mask
from linnet.batches import CHARACTERS, DOCUMENTS, batches
from linnet.errors import RequestError
from linnet.link.arguments import as_document, as_documents, as_mentions, checked_count
from linnet.link.as_read import as_read, is_bare
from linnet.link.asserting import asserted
from linnet.link.choose import Choice, Chooser
from linnet.link.decisions import NAMESAKES, Decisions, if_probable, with_candidates
from linnet.link.entity_candidates import with_entities
from linnet.link.in_sense import InSense, in_sense
from linnet.link.kind_order import either_kind, own_kind_first
from linnet.link.note_confidence import as_in_a_note
from linnet.link.opening import open_member
from linnet.link.overriding import apply_overrides
from linnet.link.pipeline import Pipeline
from linnet.link.reader import Reader
from linnet.link.readings import Query
from linnet.link.reranking import Reranking
from linnet.link.terminology_group import TerminologyGroup
from linnet.read.abbreviations import expanded_texts
from linnet.read.plain_text import recognise_shown
from linnet.recognise import Recogniser, check_types, open_recogniser
from linnet.recognise.text_kind import of_kind
from linnet.rerank.reranker import recalled
from linnet.retrieve.exact import SCORES
from linnet.retrieve.hits import Origin
from linnet.terminology import Terminology
from linnet.terminology.id_lists import check_ids
from linnet.terminology.same_ids import check_same_ids
from linnet.types import Document, Link, LinkedDocument, LinkedMention, Mention
from linnet.words.mojibake import repaired

__all__ = ["Linked", "Linker", "Restrictions", "allowed_concepts", "picklable"]

_CORRECTIONS = 50_000  # texts whose corrected spelling is cached


class Restrictions(TypedDict, total=False):
    """Restrictions of the concepts to link to, see `Terminology.select`."""

    concept_types: Collection[str] | None
    sources: Collection[str] | None
    allow: Collection[str] | None
    deny: Collection[str]


class Linked(NamedTuple):
    """A document whose mentions have the linked concepts, and the link of each mention."""

    document: Document
    links: list[Link]


class Linker:
    """Links mentions to the concepts of one or several terminologies. Not changed by use. Results depend only on the mention,
    its document and the terminologies: not on batch, order or number of threads."""

    def __init__(
        self,
        group: TerminologyGroup,
        pipeline: Pipeline,
        *,
        threads: int | None = None,
        recogniser: Callable[[TerminologyGroup], Recogniser] | None = None,
        learned: Mapping[str, str] | None = None,
        reopen: Callable[[], Linker] | None = None,
    ) -> None:
        """
        recogniser  opens a recogniser at first use, instead of the pipeline's
        learned     "name" and "digest" of the folder it was opened with, see `linnet.link.learned`
        reopen      picklable; opens the same linker in another process
        """
        self.learned = learned
        self._reopen = reopen
        self._open_recogniser = recogniser
        self.group = group
        self.pipeline = pipeline
        self.reranking = Reranking.open(group, pipeline, threads=threads)
        self._respelt = lru_cache(maxsize=_CORRECTIONS)(group.respelt)
        self.reader = Reader.open(pipeline.reader).without(pipeline.without)
        self._chooser = Chooser(
            group,
            self._respelt,
            weights=self.reader.weights,
            recalled=partial(recalled, self.reranking.reranker),
            shorthand=pipeline.glossary,
            amounts=pipeline.amounts,
        )
        self._recogniser: Recogniser | None = None

    @classmethod
    def open(
        cls,
        terminologies: Sequence[str | Path | Terminology],
        *,
        pipeline: Pipeline | None = None,
        threads: int | None = None,
        overrides: str | Path | None = None,
        **restrictions: Unpack[Restrictions],
    ) -> Linker:
        """Open terminologies with the indexes of their pipeline.

        pipeline      None: the one in the first terminology's manifest
        threads       for retrieval; None: all cores
        overrides     file of overrides beside those of the terminologies; what it says of a name replaces what these say
        restrictions  concept_types, sources, allow, deny: of the concepts to link to, see `Terminology.select`

        Raises RequestError for ids to allow or deny that no terminology has, and as `check_same_ids`; StoreError or a
        subclass if a terminology or index cannot be used.
        """
        if not terminologies:
            raise RequestError("No terminology to link against.", Step.NAME_TERMINOLOGY())
        opened = [t if isinstance(t, Terminology) else Terminology.open(t) for t in terminologies]
        check_same_ids(opened)
        pipeline = pipeline or Pipeline.from_manifest(opened[0].pipeline)
        members = [
            open_member(
                terminology, pipeline, allowed=allowed, threads=threads, overrides=overrides, others=opened
            )
            for terminology, allowed in zip(opened, allowed_concepts(opened, **restrictions), strict=True)
        ]
        paths = [terminology.path.absolute() for terminology in opened]
        options: dict[str, Any] = {"threads": threads, "overrides": overrides and Path(overrides).absolute()}
        reopen = partial(cls.open, paths, pipeline=pipeline, **options, **picklable(restrictions))
        return cls(TerminologyGroup(members), pipeline, threads=threads, reopen=reopen)

    def __reduce__(self) -> tuple[Callable[[], Linker], tuple[()]]:
        """Pickled as the call that opened it: another process opens the files again."""
        if self._reopen is None:
            raise PicklingError(
                "This Linker was not opened from files, so other processes cannot open it. Use Linker.open or linnet.load."
            )
        return self._reopen, ()

    @property
    def terminologies(self) -> list[Terminology]:
        """The terminologies in order of precedence, without learned names."""
        return [member.terminology for member in self.group.terminology_members]

    @property
    def recogniser(self) -> Recogniser:
        """Recognises mentions; opened at first use. Raises as `open_recogniser`."""
        if self._recogniser is None:
            self._recogniser = (
                open_recogniser(self.pipeline.recogniser, self.group.names())
                if self._open_recogniser is None
                else self._open_recogniser(self.group)
            )
        return self._recogniser

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """The documents, in order, with the mentions that the recogniser finds in place of their own, and with what they were read as
        (`note`)."""
        kind = self.pipeline.text_kind
        return recognise_shown(self.recogniser, [of_kind(document, kind) for document in documents])

    def link(self, mentions: Sequence[str | Mention], *, k: int = 5) -> list[Link]:
        """A link for each mention, in their order, with up to k candidates.

        Mentions of one document share the abbreviations it defines; a plain string is a document of its own. Raises
        RequestError for a k below 1, for anything but strings and Mentions, and for a Mention whose place is not in its document.
        """
        k = min(checked_count(k), max(1, sum(len(terminology) for terminology in self.terminologies)))
        given = as_mentions(mentions)
        read = as_read(given, self._are_names)
        expanded = self._expanded(read)
        sense = self._in_sense(read, expanded)
        choice = self._choose(
            sense.mentions, sense.texts, k=self.reranking.depth(k), composites=self.pipeline.composites
        )
        choice = sense.judged(choice)
        choice = with_entities(sense.mentions, choice, self.group, retrievers=self.pipeline.retrievers)
        hits, splits = self.reranking.apply_to_all(sense.mentions, choice, k=self.reranking.depth(k))
        hits, moved = own_kind_first(read, hits, self.group)
        confidence = choice.confidence | {
            row: choice.confidence.get(row, 1.0) * sure for row, sure in moved.items()
        }
        hits, splits, decided = apply_overrides(read, expanded, choice.texts, hits, splits, self.group)
        aside = decided | set(splits)
        is_expanded = [row in choice.expanded and row not in aside for row in range(len(read))]
        is_repaired = [repaired(mention.text) != mention.text for mention in given]
        for origin, rows in ((Origin.ABBREVIATION, is_expanded), (Origin.REPAIRED, is_repaired)):
            also = np.array(rows, bool)[:, None] & (hits.concepts >= 0)
            hits.origins[also] |= np.uint16(origin)
        decisions = Decisions(self.group, self.pipeline, self.reranking)
        links = decisions.links(sense.mentions, hits, splits, confidence=confidence, decided=decided, k=k)
        if self.pipeline.assertion:
            links = asserted(links)
        return [replace(link, mention=mention) for link, mention in zip(links, given, strict=True)]

    def link_recognised(
        self, mentions: Sequence[Mention], *, k: int = 5, recognised: Sequence[bool] | None = None
    ) -> list[Link]:
        """As `link` for mentions that linnet found itself: NIL with candidates below the pipeline's `min_probability_recognised`.

        recognised  which of the mentions it found; None for all
        """
        least, depth = self.pipeline.min_probability_recognised, min(NAMESAKES, self.pipeline.depth)
        links = self.link(mentions, k=max(checked_count(k), depth) if self.reranking.reranker else k)
        return [
            with_candidates(if_probable(as_in_a_note(link), least) if is_own else link, k)
            for link, is_own in zip(
                links, repeat(True, len(links)) if recognised is None else recognised, strict=True
            )
        ]

    def retrieve(self, mentions: Sequence[Mention], *, k: int) -> Choice:
        """The chosen variant of each mention with k candidates, before reranking; composites are not split."""
        read = as_read(mentions, self._are_names)
        choice = self._choose(read, self._expanded(read), k=k, composites=False)
        return with_entities(read, choice, self.group, retrievers=self.pipeline.retrievers)

    def queries(self, mentions: Sequence[Mention]) -> list[Query]:
        """The mentions as the reader is asked for them."""
        read = as_read(mentions, self._are_names)
        return _queries(read, self._expanded(read))

    def _in_sense(self, mentions: list[Mention], expanded: list[str]) -> InSense:
        if not self.pipeline.glossary:
            return InSense(mentions, expanded, {})
        return in_sense(mentions, expanded, known=self._are_names, taught=self.group.taught)

    def _are_names(self, texts: Sequence[str]) -> list[bool]:
        return (self.group.exact(texts, k=1).best >= SCORES["fold"]).tolist() if texts else []

    def _expanded(self, mentions: Sequence[Mention]) -> list[str]:
        if self.pipeline.abbreviations:
            return expanded_texts(mentions)
        return [mention.text for mention in mentions]

    def _choose(
        self, mentions: Sequence[Mention], expanded: Sequence[str], *, k: int, composites: bool
    ) -> Choice:
        """The reading of each mention."""
        return self._chooser.choose(_queries(mentions, expanded), k=k, composites=composites)

    def annotate(self, text: str | Document, *, k: int = 5) -> LinkedDocument:
        """The document with recognised mentions, each with its link, in place of its own."""
        return next(self.annotate_many([as_document(text)], k=k))

    def annotate_many(self, texts: Iterable[str | Document], *, k: int = 5) -> Iterator[LinkedDocument]:
        """As `annotate` for many texts, in their order, read and returned in batches."""
        linked = self.link_documents(as_documents(texts), recognise=True, k=k)
        return (
            LinkedDocument(
                document.id,
                document.text,
                tuple(map(LinkedMention.of, links)),
                document.extra,
                note=document.note,
            )
            for document, links in linked
        )

    def link_documents(
        self,
        documents: Iterable[str | Document],
        *,
        recognise: bool,
        k: int = 5,
        types: Collection[str] | None = None,
        types_seen: Counter[str] | None = None,
    ) -> Iterator[Linked]:
        """Link documents in batches, in their order.

        recognise   recognise mentions, and link those whose concept is probable enough (`link_recognised`); otherwise link those
                    of the documents
        types       keep only mentions of these types, in any letter case
        types_seen  counts the types of all mentions, also of those not kept

        Raises UnknownNameError or RequestError immediately for a type that the recogniser never finds.
        """
        if recognise and types is not None:
            check_types(types, self.recogniser)
        return self._link_documents(
            as_documents(documents, "link_documents", "documents"),
            recognise,
            checked_count(k),
            types,
            types_seen,
        )

    def _link_documents(
        self,
        documents: Iterable[Document],
        recognise: bool,
        k: int,
        types: Collection[str] | None,
        types_seen: Counter[str] | None,
    ) -> Iterator[Linked]:
        for batch in batches(documents, most=DOCUMENTS, characters=CHARACTERS):
            if recognise:
                batch = self.recognise(batch)
            if types_seen is not None:
                types_seen.update(mention.type for document in batch for mention in document.mentions)
            if types is not None:
                kept = {name.casefold() for name in types}
                batch = [d.with_mentions([m for m in d.mentions if m.type.casefold() in kept]) for d in batch]
            link = self.link_recognised if recognise else self.link
            links = iter(link([mention for document in batch for mention in document.mentions], k=k))
            for document in batch:
                own = [next(links) for _ in document.mentions]
                mentions = [replace(link.mention, concepts=link.concepts) for link in own]
                linked = document.with_mentions(mentions)
                pairs = zip(own, linked.mentions, strict=True)
                yield Linked(linked, [replace(link, mention=mention) for link, mention in pairs])


def allowed_concepts(
    terminologies: Sequence[Terminology],
    *,
    concept_types: Collection[str] | None = None,
    sources: Collection[str] | None = None,
    allow: Collection[str] | None = None,
    deny: Collection[str] = (),
) -> list[Mask | None]:
    """(concepts,) mask for each terminology; None if all its concepts are allowed. Raises as `Linker.open`."""
    check_ids(terminologies, allow=allow, deny=deny)
    return [
        terminology.select(types=concept_types, sources=sources, allow=allow, deny=deny)
        for terminology in terminologies
    ]


def picklable(restrictions: Restrictions) -> dict[str, Any]:
    """The restrictions as tuples, for other processes."""
    values: dict[str, Any] = {**restrictions}
    return {name: None if value is None else tuple(value) for name, value in values.items()}


def _queries(mentions: Sequence[Mention], expanded: Sequence[str]) -> list[Query]:
    return [
        Query(mention.text, text, not is_bare(mention), either_kind(mention))
        for mention, text in zip(mentions, expanded, strict=True)
    ]
