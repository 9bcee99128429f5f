"""The spaCy component `linnet`: `nlp.add_pipe("linnet", config={"terminology": "mesh/"})`.

entity.kb_id_              id of the (first) concept; "NIL" if no concept fits; "" if the entity was not linked
entity._.linnet            the `linnet.Link`: all concepts, probability, candidates, parts of a composite
entity._.linnet_concepts   ids of all concepts, () for NIL
entity._.linnet_record     the link as `linnet link` writes it
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import raise_error

from linnet.batches import CHARACTERS, DOCUMENTS, batches
from linnet.errors import DamagedError, MismatchError, RequestError
from linnet.integrations.spans import SPACY, UNTYPED, annotate, spans_to_link
from linnet.io import artifact
from linnet.jobs.records import span_record
from linnet.link import Linker
from linnet.link.linker_config import LinkerConfig
from linnet.recognise import Recogniser
from linnet.types import Document, Link, Mention

__all__ = ["SpacyLinker", "make_component"]

_FILE = "linnet.json"

# Paths and digests, of each terminology and of a learned version.
_Versions = list[tuple[str, str]]


class SpacyLinker:
    """Links the entities of docs to concepts, optionally after recognising entities.

    Entities of one doc share the abbreviations it defines. Picklable: a copy, and each process of `nlp.pipe(n_process=…)`,
    opens the terminology again, and shares its memory-mapped files.
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
        terminology         folder of a compiled terminology, or several; "starter" is the packaged one
        recognise           add entities that linnet recognises
        labels              of the entities to link, in any letter case; None: all
        k                   candidates kept with each link, at least 1
        options             further keyword arguments of `linnet.load`: reranker, learned, concept_types …
        threads             for retrieval; None: all cores, and one in other processes

        Raises StoreError or a subclass if a terminology or index cannot be used; RequestError for a k below 1, and for
        `recognise` if the recogniser finds no entities with these labels.
        """
        if k < 1:
            raise RequestError(f"k is {k}; expected 1 or more candidates per entity.")
        self.name = name
        self._terminology = [terminology] if isinstance(terminology, str) else list(terminology)
        self._recognise = recognise
        self._labels = None if labels is None else {label.casefold() for label in labels}
        self._k = k
        self._options = dict(options or {})
        self._threads = threads
        self._on_error: Callable[..., Any] = raise_error
        self._process = os.getpid()
        self._opened: Linker | None = self._open(threads)
        if recognise and labels is not None:
            _check_labels(labels, self._opened.recogniser)
        self._made_with = self._versions(self._opened)

    def __call__(self, doc: Doc) -> Doc:
        """The doc, with its entities linked."""
        for _ in self.pipe([doc], batch_size=1):
            pass
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """The docs in their order, with their entities linked. A batch that fails goes to spaCy's error handler."""
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            try:
                self._link(batch)
            except Exception as error:
                self._on_error(self.name, self, batch, error)
            else:
                yield from batch

    def set_error_handler(self, error_handler: Callable[..., Any]) -> None:
        """Set the function called with (name, component, docs, error) if docs cannot be linked. spaCy calls this."""
        self._on_error = error_handler

    def _link(self, docs: Sequence[Doc]) -> None:
        linker = self._ready()
        documents: Sequence[Document] = [Document("", doc.text) for doc in docs]
        if self._recognise:
            documents = linker.recognise(documents)
        to_link = [
            spans_to_link(doc, document, labels=self._labels)
            for doc, document in zip(docs, documents, strict=True)
        ]
        documents = [
            document.with_mentions([mention for _, mention in pairs])
            for document, (pairs, _) in zip(documents, to_link, strict=True)
        ]
        links = (
            link
            for batch in batches(documents, most=DOCUMENTS, characters=CHARACTERS)
            for link in self._links(linker, [mention for document in batch for mention in document.mentions])
        )
        for doc, (pairs, added) in zip(docs, to_link, strict=True):
            if added:
                doc.set_ents(added, default="unmodified")
            for span, _ in pairs:
                annotate(span, span_record(next(links), assertion=linker.pipeline.assertion))

    def _links(self, linker: Linker, mentions: Sequence[Mention]) -> list[Link]:
        recognised = [mention.source != SPACY for mention in mentions]
        return linker.link_recognised(mentions, k=self._k, recognised=recognised)

    def _open(self, threads: int | None) -> Linker:
        return LinkerConfig.of(self._terminology, {**self._options, "threads": threads}).open()

    def _ready(self) -> Linker:
        """The linker of this process: locks and threads do not survive a fork."""
        if self._opened is None or self._process != os.getpid():
            self._opened = self._open(self._threads or 1)
            self._process = os.getpid()
            self._check_versions(self._made_with)
        return self._opened

    # ── saving: the digest of the terminology is saved, not the terminology ──────────────────────────────

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_opened": None}

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Paths and digests of the terminologies and of a learned version, as JSON."""
        versions = self._versions(self._ready())
        records = [{"path": path, "digest": digest} for path, digest in versions]
        return json.dumps({"terminologies": records}, indent=1).encode()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> SpacyLinker:
        """This component, if its terminologies have the same content as when it was saved.

        Raises MismatchError otherwise, so that ids do not change unnoticed, and DamagedError for invalid data.
        """
        try:
            made_with = [(str(r["path"]), str(r["digest"])) for r in json.loads(data)["terminologies"]]
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedError(
                f"The saved component '{self.name}' is damaged ({error}). Save the pipeline again."
            ) from error
        self._check_versions(made_with)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the result of `to_bytes` into a folder, as `linnet.json`."""
        Path(path).mkdir(parents=True, exist_ok=True)
        (Path(path) / _FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> SpacyLinker:
        """As `from_bytes`, from the folder that `to_disk` wrote. Raises DamagedError if the file is missing."""
        try:
            data = (Path(path) / _FILE).read_bytes()
        except OSError as error:
            raise DamagedError(
                f"{Path(path) / _FILE}, which belongs to the component '{self.name}', cannot be read "
                f"({error.strerror}). Copy the whole folder, or save the pipeline again."
            ) from None
        return self.from_bytes(data)

    def _check_versions(self, made_with: _Versions) -> None:
        """Raise MismatchError if the digests differ from those of the component when it was made."""
        current = self._versions(self._ready())
        if [digest for _, digest in current] != [digest for _, digest in made_with]:
            raise MismatchError(
                f"The component '{self.name}' was made with terminology {_listed(made_with)}; here it has {_listed(current)}, "
                "whose concepts may differ. Name the original, "
                f"spacy.load(…, config={{'components': {{'{self.name}': {{'terminology': DIR}}}}}}), "
                "or make the pipeline again and save it."
            )

    def _versions(self, linker: Linker) -> _Versions:
        versions = [(str(t.path.absolute()), t.digest) for t in linker.terminologies]
        if linker.learned is not None:
            versions.append((str(Path(self._options["learned"]).absolute()), linker.learned["digest"]))
        pipeline = Path(self._options.get("pipeline", ""))
        if pipeline.is_file():
            versions.append((str(pipeline.absolute()), artifact.digest(pipeline)))
        return versions


def _listed(versions: _Versions) -> str:
    return ", ".join(f"{path} (digest {digest})" for path, digest in versions)


def _check_labels(labels: Sequence[str], recogniser: Recogniser) -> None:
    """Raise RequestError if the recogniser finds none of the labels, so that all belong to other components."""
    types = recogniser.types or {UNTYPED}
    if not {label.casefold() for label in labels} & {name.casefold() for name in types}:
        raise RequestError(
            f"'recognise' finds entities of {', '.join(sorted(types))}, but 'labels' has none of these: {', '.join(labels)}. "
            "Correct the labels, or leave 'recognise' out to link the entities of other components."
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
    """Called by `nlp.add_pipe("linnet", config={…})`; the config holds the arguments of `SpacyLinker`."""
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
