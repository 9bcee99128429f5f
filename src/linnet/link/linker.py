"""Mentions in, links out: abbreviations, exact and retrieved candidates, composites, NIL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from pickle import PicklingError
from typing import NamedTuple

import numpy as np

from linnet.batches import CHARACTERS, DOCUMENTS, batches
from linnet.errors import RequestError, StoreError
from linnet.link.answers import Answers
from linnet.link.composites import choose_splits
from linnet.link.foresight import foreseen
from linnet.link.overriding import apply_overrides
from linnet.link.pipeline import Pipeline
from linnet.link.queries import Queries, expanded_texts
from linnet.link.readings import choose_readings
from linnet.link.reranking import Reranking
from linnet.link.targets import Mask, Target, Targets
from linnet.recognise import Recogniser, check_types, open_recogniser
from linnet.rerank.name_parts import NameParts
from linnet.retrieve import open_retriever
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.index import index_path
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology
from linnet.terminology.id_lists import check_ids
from linnet.terminology.overrides import read_overrides
from linnet.types import Document, Link, Mention

__all__ = ["Linked", "Linker", "open_target"]


class Linked(NamedTuple):
    """A document whose mentions carry the concepts chosen for them, and the links behind that, one per mention."""

    document: Document
    links: list[Link]


class Linker:
    """Links mentions to the concepts of one or several terminologies. Not changed by use; results depend on
    nothing but the mention, its document and the terminologies: not on batch, order or number of threads."""

    def __init__(
        self,
        targets: Targets,
        pipeline: Pipeline,
        *,
        threads: int | None = None,
        recogniser: Callable[[Targets], Recogniser] | None = None,
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
        self.targets = targets
        self.pipeline = pipeline
        self.reranking = Reranking.open(targets, pipeline, threads=threads)
        self._queries = Queries(targets)
        self._recogniser: Recogniser | None = None

    @classmethod
    def open(
        cls,
        terminologies: Sequence[str | Path | Terminology],
        *,
        pipeline: Pipeline | None = None,
        types: Collection[str] | None = None,
        sources: Collection[str] | None = None,
        allow: Collection[str] | None = None,
        deny: Collection[str] = (),
        threads: int | None = None,
    ) -> Linker:
        """Open terminologies with the indexes of their pipeline.

        pipeline              instead of the one the first terminology's manifest asks for
        types … deny          restrict the concepts, see `Terminology.select`
        threads               for retrieval, default all cores

        Raises RequestError for ids to allow or deny that no terminology has, StoreError and its kin where a terminology or
        index cannot be used; the message says what to run.
        """
        if not terminologies:
            raise RequestError("No terminology to link against. Name at least one: --terminology DIR")
        opened = [t if isinstance(t, Terminology) else Terminology.open(t) for t in terminologies]
        chosen = pipeline or Pipeline.from_manifest(opened[0].pipeline)
        check_ids(opened, allow=allow, deny=deny)
        targets = []
        for terminology in opened:
            allowed = terminology.select(types=types, sources=sources, allow=allow, deny=deny)
            targets.append(open_target(terminology, chosen, allowed=allowed, threads=threads))
        reopen = partial(
            cls.open,
            [terminology.path.absolute() for terminology in opened],
            pipeline=chosen,
            types=None if types is None else tuple(types),
            sources=None if sources is None else tuple(sources),
            allow=None if allow is None else tuple(allow),
            deny=tuple(deny),
            threads=threads,
        )
        return cls(Targets(targets), chosen, threads=threads, reopen=reopen)

    def __reduce__(self) -> tuple[Callable[[], Linker], tuple[()]]:
        """Pickled as what it was opened from: another process opens its files again."""
        if self._reopen is None:
            raise PicklingError(
                "This Linker was not opened from files, so that no other process can open it. Use Linker.open or linnet.load."
            )
        return self._reopen, ()

    @property
    def terminologies(self) -> list[Terminology]:
        """What is linked against, in order of precedence."""
        return [target.terminology for target in self.targets.targets]

    @property
    def recogniser(self) -> Recogniser:
        """What finds mentions, opened when it is first asked for. Raises as `open_recogniser`."""
        if self._recogniser is None:
            self._recogniser = (
                open_recogniser(self.pipeline.recogniser, self.targets.names())
                if self._open_recogniser is None
                else self._open_recogniser(self.targets)
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
        expanded = (
            expanded_texts(asked) if self.pipeline.abbreviations else [mention.text for mention in asked]
        )
        wide = self.reranking.depth(k)
        ahead = foreseen(asked, expanded, self._queries, composites=self.pipeline.composites)
        found = self._queries.search([*expanded, *ahead], k=wide).take(slice(0, len(expanded)))
        texts, hits = choose_readings(asked, expanded, found, self._queries, k=wide)
        splits = choose_splits(texts, hits, self._queries, k=wide) if self.pipeline.composites else {}
        hits, splits = self.reranking.apply_to_all(asked, texts, hits, splits, k=k)
        hits, splits = apply_overrides(asked, expanded, texts, hits, splits, self.targets)
        # The candidates of a composite are those of what it says, whatever it is short for.
        respelt = np.any((hits.origins[:, :1] & Origin.SPELLING) > 0, axis=1).tolist()
        spelt_out = [
            text != mention.text and row not in splits and not respelt[row]
            for row, (mention, text) in enumerate(zip(asked, texts, strict=True))
        ]
        answers = Answers(self.targets, self.pipeline, self.reranking.calibrator)
        links = answers.single(asked, hits, expanded=spelt_out)
        for row, link in answers.composite(links, splits).items():
            links[row] = link
        return links

    def read(self, mentions: Sequence[Mention], *, k: int) -> tuple[list[str], Hits]:
        """What is retrieved for each mention, before reranking: the text it is read as, and the (N, k) hits."""
        texts = expanded_texts(mentions) if self.pipeline.abbreviations else [m.text for m in mentions]
        return choose_readings(mentions, texts, self._queries.search(texts, k=k), self._queries, k=k)

    def annotate(self, text: str | Document, *, k: int = 5) -> Document:
        """The document with the mentions found in it, linked. Mentions it already has are replaced."""
        document = text if isinstance(text, Document) else Document("", text)
        return next(self.link_documents([document], recognise=True, k=k)).document

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


def open_target(
    terminology: Terminology, pipeline: Pipeline, *, allowed: Mask | None, threads: int | None
) -> Target:
    """A terminology with all that a pipeline makes use of. Raises as `Linker.open`."""
    _check_indexes(terminology, pipeline.retrievers)
    return Target(
        terminology,
        [
            open_retriever(
                terminology, name, encoder=pipeline.encoder, glossary=pipeline.glossary, threads=threads
            )
            for name in pipeline.retrievers
        ],
        allowed=allowed,
        overrides=read_overrides(terminology),
        parts=NameParts.open_current(terminology) if pipeline.reranker else None,
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
