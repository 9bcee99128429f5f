"""The spaCy component `linnet`: `nlp.add_pipe("linnet", config={"terminology": "mesh/"})`.

entity.kb_id_              id of the (first) concept; "NIL" where nothing fits; "" where nothing was asked
entity._.linnet            the `linnet.Link`: all concepts, probability, candidates, parts of a composite
entity._.linnet_concepts   ids of all its concepts, () for NIL
entity._.linnet_record     the same link as `linnet link` writes it
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import raise_error

from linnet import artifact
from linnet.errors import DamagedError, RequestError
from linnet.integrations.saved import check_same, read_saved, saved
from linnet.integrations.spans import UNTYPED, add_entities, annotate, spans_to_link
from linnet.link import Linker
from linnet.link.linker_config import LinkerConfig
from linnet.link.records import document_record
from linnet.recognise import Recogniser
from linnet.types import Document

__all__ = ["SpacyLinker", "make_component"]

_FILE = "linnet.json"


class SpacyLinker:
    """Links the entities of docs to concepts, and finds entities first where it is asked to.

    Entities of one doc share the abbreviations it defines. Picklable; a copy, and every process of
    `nlp.pipe(n_process=…)`, opens the terminology itself and shares its memory-mapped files with the others.
    """

    def __init__(
        self,
        terminology: str | Sequence[str],
        *,
        name: str = "linnet",
        recognise: bool = False,
        labels: Sequence[str] | None = None,
        k: int = 5,
        options: Mapping[str, Any] | None = None,
        threads: int | None = None,
    ) -> None:
        """
        terminology         directory of a compiled terminology, or several; "starter" is the packaged one
        recognise           add what linnet finds to the entities that are there
        labels              of the entities to link, in any case of letters; all if None
        k                   candidates kept with each link, 1 at least
        options             further keyword arguments of `linnet.load`: reranker, learned, concept_types …
        threads             for retrieval; if None all cores, and one in another process than this

        Raises StoreError and its kin where a terminology or index cannot be used; the message says what to run. RequestError
        for a k below 1, and for `recognise` where nothing that is found has one of the labels.
        """
        if k < 1:
            raise RequestError(f"k is {k}: an entity needs a candidate to be linked to. Ask for 1 or more.")
        self.name = name
        self._terminology = [terminology] if isinstance(terminology, str) else list(terminology)
        self._recognise = recognise
        self._labels = None if labels is None else {label.casefold() for label in labels}
        self._k = k
        self._options = dict(options or {})
        self._threads = threads
        self._refused: Callable[..., Any] = raise_error
        self._process = os.getpid()
        self._opened: tuple[Linker, Recogniser] | None = self._open(threads)
        if recognise and labels is not None:
            _check_labels(labels, self._opened[1])
        self._made_with = self._versions(self._opened[0])

    def __call__(self, doc: Doc) -> Doc:
        """The doc, its entities linked."""
        for _ in self.pipe([doc], batch_size=1):
            pass
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """The docs, their entities linked, in their order. A batch that fails goes to spaCy's error handler."""
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            try:
                self._link(batch)
            except Exception as error:
                self._refused(self.name, self, batch, error)
            else:
                yield from batch

    def set_error_handler(self, error_handler: Callable[..., Any]) -> None:
        """What is called with (name, component, docs, error) where docs cannot be linked. spaCy calls this."""
        self._refused = error_handler

    def _link(self, docs: Sequence[Doc]) -> None:
        linker, recogniser = self._ready()
        documents: Sequence[Document] = [Document("", doc.text) for doc in docs]
        if self._recognise:
            documents = recogniser.recognise(documents)
        chosen = [
            spans_to_link(doc, document, labels=self._labels)
            for doc, document in zip(docs, documents, strict=True)
        ]
        asked = [
            document.with_mentions([mention for _, mention in pairs])
            for document, (pairs, _) in zip(documents, chosen, strict=True)
        ]
        linked = linker.link_documents(asked, recognise=False, k=self._k)
        for doc, (pairs, added), done in zip(docs, chosen, linked, strict=True):
            add_entities(doc, added)
            for (span, _), record in zip(pairs, document_record(*done)["mentions"], strict=True):
                annotate(span, record)

    def _open(self, threads: int | None) -> tuple[Linker, Recogniser]:
        linker = LinkerConfig.of(self._terminology, {**self._options, "threads": threads}).open()
        return linker, linker.recogniser

    def _ready(self) -> tuple[Linker, Recogniser]:
        """What this process has opened: locks and threads of the one it was forked from are of no use."""
        if self._opened is None or self._process != os.getpid():
            self._opened = self._open(self._threads or 1)
            self._process = os.getpid()
            check_same(self._made_with, self._versions(self._opened[0]), name=self.name)
        return self._opened

    # ── keeping: the terminology stays where it is, its digest goes along ────────────────────────────────

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_opened": None}

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Path and digest of each terminology, as JSON."""
        return saved(self._versions(self._ready()[0]))

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> SpacyLinker:
        """Itself, if its terminologies have the content they had when it was saved.

        Raises MismatchError otherwise: the ids that a pipeline gives must not change unnoticed.
        """
        made_with = read_saved(data, name=self.name)
        check_same(made_with, self._versions(self._ready()[0]), name=self.name)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write what `to_bytes` gives into a folder, as `linnet.json`."""
        Path(path).mkdir(parents=True, exist_ok=True)
        (Path(path) / _FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> SpacyLinker:
        """As `from_bytes`, of the folder that `to_disk` wrote. Raises DamagedError where the file is not there."""
        try:
            data = (Path(path) / _FILE).read_bytes()
        except OSError as error:
            raise DamagedError(
                f"{Path(path) / _FILE}, which says what the component '{self.name}' was saved with, cannot be read "
                f"({error.strerror}). Copy the whole folder, or save the pipeline again."
            ) from None
        return self.from_bytes(data)

    def _versions(self, linker: Linker) -> list[tuple[str, str]]:
        """Path and digest of each terminology, of what was learnt with it, and of the pipeline's file."""
        versions = [(str(one.path.absolute()), one.digest) for one in linker.terminologies]
        if linker.learned is not None:
            versions.append((str(Path(self._options["learned"]).absolute()), linker.learned["digest"]))
        pipeline = Path(self._options.get("pipeline", ""))
        if pipeline.is_file():
            versions.append((str(pipeline.absolute()), artifact.digest(pipeline)))
        return versions


def _check_labels(labels: Sequence[str], recogniser: Recogniser) -> None:
    """Labels may be of what other components find; where all are, there is nothing to recognise."""
    types = recogniser.types or {UNTYPED}
    if not {label.casefold() for label in labels} & {name.casefold() for name in types}:
        raise RequestError(
            f"'recognise' finds entities of {', '.join(sorted(types))}; 'labels' keeps none of these: {', '.join(labels)}. "
            "Correct the labels, or leave 'recognise' out to link what other components find."
        )


@Language.factory(
    "linnet",
    assigns=[
        "doc.ents",
        "token.ent_kb_id",
        "span._.linnet",
        "span._.linnet_concepts",
        "span._.linnet_record",
    ],
    default_config={
        "terminology": None,
        "recognise": False,
        "labels": None,
        "k": 5,
        "options": None,
        "threads": None,
    },
)
def make_component(
    nlp: Language,
    name: str,
    terminology: str | list[str] | None,
    recognise: bool,
    labels: list[str] | None,
    k: int,
    options: dict[str, Any] | None,
    threads: int | None,
) -> SpacyLinker:
    """What `nlp.add_pipe("linnet", config={…})` calls; the config is the arguments of `SpacyLinker`."""
    if not terminology:
        raise RequestError(
            f"The component '{name}' needs a terminology. "
            'Name one: nlp.add_pipe("linnet", config={"terminology": "mesh/"}); "starter" is the packaged one.'
        )
    return SpacyLinker(
        terminology,
        name=name,
        recognise=recognise,
        labels=labels,
        k=k,
        options=options,
        threads=threads,
    )
