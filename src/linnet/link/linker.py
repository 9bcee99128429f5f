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

from linnet.arrays import Mask
from linnet.batches import CHARACTERS, DOCUMENTS, batches
from linnet.errors import RequestError
from linnet.link.arguments import as_document, as_documents, as_mentions, checked_count
from linnet.link.as_read import as_read
from linnet.link.asserting import asserted
from linnet.link.bare_choice import BareChooser
from linnet.link.bare_strings import is_bare
from linnet.link.decisions import NAMESAKES, Decisions, if_probable, with_candidates
from linnet.link.entity_candidates import with_entities
from linnet.link.kind_doubt import confidence_by_kind
from linnet.link.opening import open_member
from linnet.link.overriding import apply_overrides
from linnet.link.pipeline import Pipeline
from linnet.link.query_cache import QueryCache
from linnet.link.reranking import Reranking
from linnet.link.terminology_group import TerminologyGroup
from linnet.link.variant_choice import Choice, ExactScores, choose
from linnet.link.variants import Variants, rewrite
from linnet.mojibake import repaired
from linnet.read.abbreviations import expanded_texts
from linnet.read.plain_text import recognise_shown
from linnet.recognise import Recogniser, check_types, open_recogniser
from linnet.retrieve.exact import SCORES
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import Terminology
from linnet.terminology.id_lists import check_ids
from linnet.terminology.same_ids import check_same_ids
from linnet.types import Document, Link, LinkedDocument, LinkedMention, Mention

__all__ = ["Linked", "Linker", "Restrictions", "allowed_concepts", "picklable"]

_CORRECTIONS = 50_000  # texts whose corrected spelling is cached
# Where a dense index is flat, one larger search takes less time than two: 13 % of linking NCBI dev on two threads.
_MANY_NAMES = 200_000


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
        self._cache = QueryCache(group)
        self._respelt = lru_cache(maxsize=_CORRECTIONS)(group.respelt)
        self._bare = BareChooser(group, self._cache, self._respelt, shorthand=pipeline.glossary)
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
            raise RequestError("No terminology to link against. Name at least one: --terminology DIR")
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

    def link(self, mentions: Sequence[str | Mention], *, k: int = 5) -> list[Link]:
        """A link for each mention, in their order, with up to k candidates.

        Mentions of one document share the abbreviations it defines; a plain string is a document of its own. Raises
        RequestError for a k below 1, for anything but strings and Mentions, and for a Mention whose place is not in its document.
        """
        k = min(checked_count(k), max(1, sum(len(terminology) for terminology in self.terminologies)))
        given = as_mentions(mentions)
        read = as_read(given, self._are_names)
        expanded = self._expanded(read)
        choice = self._choose(read, expanded, k=self.reranking.depth(k), composites=self.pipeline.composites)
        choice = with_entities(read, choice, self.group, retrievers=self.pipeline.retrievers)
        hits, splits = self.reranking.apply_to_all(read, choice, k=self.reranking.depth(k))
        hits, splits, decided = apply_overrides(read, expanded, choice.texts, hits, splits, self.group)
        # The origins of a composite's candidates do not mention abbreviations.
        was_expanded = [
            row not in splits
            and row not in decided
            and text != mention.text
            and not origin & (Origin.SPELLING | Origin.SYNONYM)
            for row, (mention, text, origin) in enumerate(
                zip(read, choice.texts, hits.origins[:, 0].tolist(), strict=True)
            )
        ]
        confidence = confidence_by_kind(expanded, choice, hits, splits, self.group)
        is_repaired = [repaired(mention.text) != mention.text for mention in given]
        for origin, rows in ((Origin.ABBREVIATION, was_expanded), (Origin.REPAIRED, is_repaired)):
            also = np.array(rows, bool)[:, None] & (hits.concepts >= 0)
            hits.origins[also] |= np.uint16(origin)
        decisions = Decisions(self.group, self.pipeline, self.reranking)
        links = decisions.links(read, hits, splits, confidence=confidence, decided=decided, k=k)
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
            with_candidates(if_probable(link, least) if found else link, k)
            for link, found in zip(
                links, repeat(True, len(links)) if recognised is None else recognised, strict=True
            )
        ]

    def retrieve(self, mentions: Sequence[Mention], *, k: int) -> Choice:
        """The chosen variant of each mention with k candidates, before reranking; composites are not split."""
        read = as_read(mentions, self._are_names)
        choice = self._choose(read, self._expanded(read), k=k, composites=False)
        return with_entities(read, choice, self.group, retrievers=self.pipeline.retrievers)

    def _are_names(self, texts: Sequence[str]) -> list[bool]:
        return (self.group.exact(texts, k=1).best >= SCORES["fold"]).tolist() if texts else []

    def _expanded(self, mentions: Sequence[Mention]) -> list[str]:
        if self.pipeline.abbreviations:
            return expanded_texts(mentions)
        return [mention.text for mention in mentions]

    def _choose(
        self, mentions: Sequence[Mention], expanded: Sequence[str], *, k: int, composites: bool
    ) -> Choice:
        """The variant of each mention; mentions without context are read as cells of a table are."""
        # Readings are compared by cosines of names, which an index of entities does not have.
        comparable = self.group.largest_score < np.inf
        if self.group.has_entities:
            comparable = comparable and self.group.has_cosines
        bare = [row for row, mention in enumerate(mentions) if is_bare(mention)] if comparable else []
        if not bare:
            return self._choose_in_context(mentions, expanded, k=k, composites=composites)
        of_bare = self._bare.choose([expanded[row] for row in bare], k=k, composites=composites)
        if len(bare) == len(mentions):
            return of_bare
        others = sorted(set(range(len(mentions))) - set(bare))
        of_others = self._choose_in_context(
            [mentions[row] for row in others], [expanded[row] for row in others], k=k, composites=composites
        )
        return Choice.joined([(bare, of_bare), (others, of_others)])

    def _choose_in_context(
        self, mentions: Sequence[Mention], expanded: Sequence[str], *, k: int, composites: bool
    ) -> Choice:
        """Look up all variants of the mentions, search those that can win, and choose among them."""
        # Distinct mentions: the text as written, and with abbreviations expanded.
        distinct = list(dict.fromkeys(zip((m.text for m in mentions), expanded, strict=True)))
        exact = self.group.exact([text for _, text in distinct], k=k)
        sure = exact.best >= self.group.sure_score
        literal = sure & (exact.best >= SCORES["fold"])
        variants = {}
        for (written, text), is_sure, is_literal in zip(
            distinct, sure.tolist(), literal.tolist(), strict=True
        ):
            if is_literal:
                variants[written, text] = Variants.of_name(text)
            else:
                other = (
                    None
                    if is_sure
                    else rewrite(written, text, self._respelt, shorthand=self.pipeline.glossary)
                )
                variants[written, text] = Variants.of(text, other, composites=composites)
        # The mentions' own texts come first, as their exact matches are known.
        own = {text for _, text in distinct}
        more = list(dict.fromkeys(text for v in variants.values() for text in v.texts() if text not in own))
        texts = [*(text for _, text in distinct), *more]
        matches = exact.followed_by(self.group.exact(more, k=k)) if more else exact
        rows = {text: row for row, text in enumerate(texts)}
        scores = ExactScores(
            dict(zip(texts, matches.best.tolist(), strict=True)),
            self.group.sure_score,
            self.group.largest_score,
        )

        def search(texts: Sequence[str]) -> Hits:
            return self._cache.search(texts, k=k, exact=matches.take([rows[text] for text in texts]))

        chosen = [variants[mention.text, text] for mention, text in zip(mentions, expanded, strict=True)]
        return choose(chosen, scores, search, at_once=self.group.name_count < _MANY_NAMES)

    def annotate(self, text: str | Document, *, k: int = 5) -> LinkedDocument:
        """The document with recognised mentions, each with its link, in place of its own."""
        return next(self.annotate_many([as_document(text)], k=k))

    def annotate_many(self, texts: Iterable[str | Document], *, k: int = 5) -> Iterator[LinkedDocument]:
        """As `annotate` for many texts, in their order, read and returned in batches."""
        linked = self.link_documents(as_documents(texts), recognise=True, k=k)
        return (
            LinkedDocument(document.id, document.text, tuple(map(LinkedMention.of, links)), document.extra)
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
                batch = recognise_shown(self.recogniser, batch)
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
