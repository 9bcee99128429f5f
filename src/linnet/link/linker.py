"""Mentions in, links out: the variants of each mention are searched together, one is chosen, its candidates reranked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from pickle import PicklingError
from typing import NamedTuple

from linnet.arrays import Mask
from linnet.batches import CHARACTERS, DOCUMENTS, batches
from linnet.errors import RequestError, StoreError
from linnet.link.choice import Choice, SearchResults, choose
from linnet.link.decisions import Decisions
from linnet.link.overriding import apply_overrides
from linnet.link.pipeline import Pipeline
from linnet.link.query_cache import QueryCache
from linnet.link.reranking import Reranking
from linnet.link.terminology_group import Member, TerminologyGroup
from linnet.link.variants import Variants, rewrite
from linnet.recognise import Recogniser, check_types, open_recogniser
from linnet.recognise.abbreviations import expanded_texts
from linnet.rerank.name_feature_index import NameFeatureIndex
from linnet.retrieve import open_retriever
from linnet.retrieve.exact import SCORES
from linnet.retrieve.hits import Origin
from linnet.retrieve.index import index_path
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology
from linnet.terminology.id_lists import check_ids
from linnet.terminology.overrides import read_overrides
from linnet.types import Document, Link, LinkedMention, Mention

__all__ = ["Linked", "Linker", "open_member"]

_CORRECTIONS = 50_000  # texts whose spelling is remembered


class Linked(NamedTuple):
    """A document whose mentions carry the concepts chosen for them, and the links behind that, one per mention."""

    document: Document
    links: list[Link]


class Linker:
    """Links mentions to the concepts of one or several terminologies. Not changed by use; results depend on
    nothing but the mention, its document and the terminologies: not on batch, order or number of threads."""

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
        recogniser  opens what finds mentions, instead of the pipeline's, when it is first asked for
        learned     "name" and "digest" of what else its answers depend on, see `linnet.link.learned`
        reopen      opens the same linker in another process; can be pickled
        """
        self.learned = learned
        self._reopen = reopen
        self._open_recogniser = recogniser
        self.group = group
        self.pipeline = pipeline
        self.reranking = Reranking.open(group, pipeline, threads=threads)
        self._cache = QueryCache(group)
        self._respelt = lru_cache(maxsize=_CORRECTIONS)(group.respelt)
        self._recogniser: Recogniser | None = None

    @classmethod
    def open(
        cls,
        terminologies: Sequence[str | Path | Terminology],
        *,
        pipeline: Pipeline | None = None,
        concept_types: Collection[str] | None = None,
        sources: Collection[str] | None = None,
        allow: Collection[str] | None = None,
        deny: Collection[str] = (),
        threads: int | None = None,
    ) -> Linker:
        """Open terminologies with the indexes of their pipeline.

        pipeline              instead of the one the first terminology's manifest asks for
        concept_types … deny  restrict the concepts, see `Terminology.select`
        threads               for retrieval, default all cores

        Raises RequestError for ids to allow or deny that no terminology has, StoreError and its kin where a terminology or
        index cannot be used; the message says what to run.
        """
        if not terminologies:
            raise RequestError("No terminology to link against. Name at least one: --terminology DIR")
        opened = [t if isinstance(t, Terminology) else Terminology.open(t) for t in terminologies]
        chosen = pipeline or Pipeline.from_manifest(opened[0].pipeline)
        check_ids(opened, allow=allow, deny=deny)
        members = []
        for terminology in opened:
            allowed = terminology.select(types=concept_types, sources=sources, allow=allow, deny=deny)
            members.append(open_member(terminology, chosen, allowed=allowed, threads=threads))
        reopen = partial(
            cls.open,
            [terminology.path.absolute() for terminology in opened],
            pipeline=chosen,
            concept_types=None if concept_types is None else tuple(concept_types),
            sources=None if sources is None else tuple(sources),
            allow=None if allow is None else tuple(allow),
            deny=tuple(deny),
            threads=threads,
        )
        return cls(TerminologyGroup(members), chosen, threads=threads, reopen=reopen)

    def __reduce__(self) -> tuple[Callable[[], Linker], tuple[()]]:
        """Pickled as what it was opened from: another process opens its files again."""
        if self._reopen is None:
            raise PicklingError(
                "This Linker was not opened from files, so that no other process can open it. Use Linker.open or linnet.load."
            )
        return self._reopen, ()

    @property
    def terminologies(self) -> list[Terminology]:
        """What is linked against, in order of precedence, without what was learnt."""
        return [member.terminology for member in self.group.given]

    @property
    def recogniser(self) -> Recogniser:
        """What finds mentions, opened when it is first asked for. Raises as `open_recogniser`."""
        if self._recogniser is None:
            self._recogniser = (
                open_recogniser(self.pipeline.recogniser, self.group.names())
                if self._open_recogniser is None
                else self._open_recogniser(self.group)
            )
        return self._recogniser

    def link(self, mentions: Sequence[str | Mention], *, k: int = 5) -> list[Link]:
        """A link for each mention, in their order, with up to k candidates.

        Mentions of one document share the abbreviations it defines; a bare string is a document of its own. Raises RequestError
        for a k below 1, and for what is neither a string nor a Mention.
        """
        if isinstance(mentions, str):
            raise RequestError(
                f"link() takes a list of mentions; got one text. Write: link([{mentions[:50]!r}])"
            )
        if k < 1:
            raise RequestError(f"k is {k}: a mention needs a candidate to be linked to. Ask for 1 or more.")
        k = min(k, max(1, sum(len(terminology) for terminology in self.terminologies)))
        asked = [_as_mention(mention, place) for place, mention in enumerate(mentions)]
        expanded = self._expanded(asked)
        choice = self._choose(asked, expanded, k=self.reranking.depth(k), composites=self.pipeline.composites)
        hits, splits = self.reranking.apply_to_all(asked, choice, k=k)
        hits, splits = apply_overrides(asked, expanded, choice.texts, hits, splits, self.group)
        # The candidates of a composite are those of what it says, whatever it is short for.
        spelt_out = [
            row not in splits and text != mention.text and not origin & Origin.SPELLING
            for row, (mention, text, origin) in enumerate(
                zip(asked, choice.texts, hits.origins[:, 0].tolist(), strict=True)
            )
        ]
        decisions = Decisions(self.group, self.pipeline, self.reranking.calibrator)
        return decisions.links(asked, hits, splits, expanded=spelt_out)

    def retrieve(self, mentions: Sequence[Mention], *, k: int) -> Choice:
        """What each mention is read as, and its k candidates, before reranking; composites are not split."""
        return self._choose(mentions, self._expanded(mentions), k=k, composites=False)

    def _expanded(self, mentions: Sequence[Mention]) -> list[str]:
        if self.pipeline.abbreviations:
            return expanded_texts(mentions)
        return [mention.text for mention in mentions]

    def _choose(
        self, mentions: Sequence[Mention], expanded: Sequence[str], *, k: int, composites: bool
    ) -> Choice:
        """Search for all variants of the mentions together, and choose among them."""
        # Distinct mentions once: what a mention is written as, and spelt out.
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
                other = None if is_sure else rewrite(written, text, self._respelt)
                variants[written, text] = Variants.of(text, other, composites=composites)
        # The texts themselves come first, for their exact matches are known.
        own = {text for _, text in distinct}
        more = list(dict.fromkeys(text for v in variants.values() for text in v.texts() if text not in own))
        texts = [*(text for _, text in distinct), *more]
        matches = exact.followed_by(self.group.exact(more, k=k))
        hits = self._cache.search(texts, k=k, exact=matches)
        results = SearchResults({text: row for row, text in enumerate(texts)}, hits)
        chosen = [variants[mention.text, text] for mention, text in zip(mentions, expanded, strict=True)]
        return choose(chosen, results)

    def annotate(self, text: str | Document, *, k: int = 5) -> Document:
        """The document with the mentions found in it, each a `LinkedMention` with its link. Mentions it has are replaced."""
        return next(self.annotate_many([text], k=k))

    def annotate_many(self, texts: Iterable[str | Document], *, k: int = 5) -> Iterator[Document]:
        """As `annotate`, for many texts, in their order: they are read, and come back, in batches."""
        documents = (text if isinstance(text, Document) else Document("", text) for text in texts)
        for document, links in self.link_documents(documents, recognise=True, k=k):
            yield document.with_mentions([LinkedMention.of(link) for link in links])

    def link_documents(
        self,
        documents: Iterable[Document],
        *,
        recognise: bool,
        k: int = 5,
        types: Collection[str] | None = None,
        types_seen: Counter[str] | None = None,
    ) -> Iterator[Linked]:
        """Link documents in batches, in their order.

        recognise   find the mentions; otherwise those of the documents are linked
        types       keep only mentions of these types, in any case of letters
        types_seen  counts the types of all mentions, those that are not kept too

        Raises, when it is called, UnknownNameError or RequestError for a type that the recogniser never finds.
        """
        if recognise and types is not None:
            check_types(types, self.recogniser)
        return self._link_documents(documents, recognise, k, types, types_seen)

    def _link_documents(
        self,
        documents: Iterable[Document],
        recognise: bool,
        k: int,
        types: Collection[str] | None,
        types_seen: Counter[str] | None,
    ) -> Iterator[Linked]:
        for batch in batches(documents, most=DOCUMENTS, characters=CHARACTERS):
            found = self.recogniser.recognise(batch) if recognise else batch
            if types_seen is not None:
                types_seen.update(mention.type for document in found for mention in document.mentions)
            if types is not None:
                wanted = {name.casefold() for name in types}
                found = [
                    d.with_mentions([m for m in d.mentions if m.type.casefold() in wanted]) for d in found
                ]
            links = iter(self.link([mention for document in found for mention in document.mentions], k=k))
            for document in found:
                own = [next(links) for _ in document.mentions]
                mentions = [replace(link.mention, concepts=link.concepts) for link in own]
                linked = document.with_mentions(mentions)
                pairs = zip(own, linked.mentions, strict=True)
                yield Linked(linked, [replace(link, mention=mention) for link, mention in pairs])


def _as_mention(given: str | Mention, place: int) -> Mention:
    if isinstance(given, Mention):
        return given
    if not isinstance(given, str):
        raise RequestError(
            f"link() takes strings and Mentions; item {place} is {given!r}. Leave missing values out, or fill them with ''."
        )
    return Mention.alone(given)


def open_member(
    terminology: Terminology, pipeline: Pipeline, *, allowed: Mask | None, threads: int | None
) -> Member:
    """A terminology with all that a pipeline uses. Raises as `Linker.open`."""
    _check_indexes(terminology, pipeline.retrievers)
    return Member(
        terminology,
        [
            open_retriever(
                terminology, name, encoder=pipeline.encoder, glossary=pipeline.glossary, threads=threads
            )
            for name in pipeline.retrievers
        ],
        allowed=allowed,
        overrides=read_overrides(terminology),
        name_features=NameFeatureIndex.open_current(terminology) if pipeline.reranker else None,
        spelling=_open_spelling(terminology, pipeline),
    )


def _open_spelling(terminology: Terminology, pipeline: Pipeline) -> Spelling | None:
    """The vocabulary for misspelt words; None where the pipeline does not respell, or searches no exact index, with
    which it is built. Raises as `Spelling.open`: without it misspelt names would get other links."""
    if not pipeline.spelling:
        return None
    if "exact" in pipeline.retrievers or index_path(terminology, Spelling.kind).exists():
        return Spelling.open(terminology)
    return None


def _check_indexes(terminology: Terminology, names: Sequence[str]) -> None:
    """Raises StoreError where several indexes are missing, naming one command for all: a command that builds one of them would
    make it what is searched by default."""
    missing = [name for name in names if not index_path(terminology, name).exists()]
    if len(missing) > 1:
        raise StoreError(
            f"{terminology.path} has no index of these: {', '.join(missing)}. "
            f"Run: linnet index {terminology.path} --retriever {','.join(names)}"
        )
