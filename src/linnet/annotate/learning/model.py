"""A version of a project's model, opened for predicting."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from linnet.annotate.learning.learners.encoder import ENCODER, TERMINOLOGY
from linnet.annotate.learning.learners.names import NAMES, searched
from linnet.annotate.learning.learners.recogniser import RECOGNISER, SURE
from linnet.annotate.learning.learners.stops import STOPS
from linnet.annotate.learning.learners.threshold import THRESHOLD
from linnet.errors import MismatchError
from linnet.link import Linker
from linnet.link.indexing import build_indexes
from linnet.link.pipeline import Pipeline
from linnet.link.targets import Target, Targets
from linnet.recognise import open_recogniser
from linnet.recognise.combined import CombinedRecogniser
from linnet.retrieve import open_retriever
from linnet.terminology import Terminology
from linnet.terminology.overrides import read_overrides
from linnet.text import simplify
from linnet.types import Document, Link

__all__ = ["Model", "Predicted", "base_linker", "ensure_indexes", "open_model", "pipeline_of"]


class Predicted(NamedTuple):
    """A document and the links of the mentions found in it."""

    document: Document
    links: list[Link]


class Model:
    """What predicts. Not changed by use."""

    def __init__(self, linker: Linker, *, stops: Iterable[str] = ()) -> None:
        self.linker = linker
        self._stops = frozenset(stops)

    def predict(self, documents: Sequence[Document]) -> Iterator[Predicted]:
        """The mentions found in each document, linked; the documents' own are not looked at. Order kept."""
        bare = (document.with_mentions(()) for document in documents)
        for document, links in self.linker.link_documents(bare, recognise=True, k=5):
            kept = [link for link in links if simplify(link.mention.text) not in self._stops]
            yield Predicted(document.with_mentions([link.mention for link in kept]), kept)


def open_model(
    terminology: Terminology,
    folder: Path | None,
    *,
    types: Sequence[str] = (),
    pipeline: Pipeline | None = None,
    threads: int | None = 1,
) -> Model:
    """Open a version.

    folder    of the version, None for the terminology alone
    types     only concepts of these types
    pipeline  instead of the terminology's

    Raises StoreError and its kin where an index is missing or damaged, or is of another version of the terminology.
    """
    pipeline = pipeline or pipeline_of(terminology)
    if folder is not None and (folder / THRESHOLD).exists():
        pipeline = replace(pipeline, **json.loads((folder / THRESHOLD).read_text(encoding="utf-8")))
    if folder is not None and (folder / ENCODER).exists():
        pipeline = replace(pipeline, encoder=str(folder / ENCODER))
        indexed = Terminology.open(folder / TERMINOLOGY)
        if indexed.digest != terminology.digest:
            raise MismatchError(
                "The model's encoder was trained on another version of the terminology. Go back to version 0 and train anew."
            )
        terminology = indexed
    linker = base_linker(terminology, pipeline, types=types, threads=threads)
    stops: list[str] = []
    if folder is not None:
        if (folder / STOPS).exists():
            stops = json.loads((folder / STOPS).read_text(encoding="utf-8"))
        if (folder / NAMES).exists():
            linker = _with_names(linker, Terminology.open(folder / NAMES), threads)
        if (folder / RECOGNISER).exists():
            tagger = open_recogniser(folder / RECOGNISER, linker.targets.names())
            linker = linker.recognising_by(CombinedRecogniser(tagger, linker.recogniser, sure=SURE))
    return Model(linker, stops=stops)


def pipeline_of(terminology: Terminology) -> Pipeline:
    """What the terminology's manifest asks for."""
    return Pipeline.from_manifest(terminology.pipeline)


def ensure_indexes(terminology: Terminology) -> None:
    """Build the indexes of the terminology's pipeline that are missing or outdated."""
    pipeline = pipeline_of(terminology)
    build_indexes(terminology, pipeline.retrievers, encoder=pipeline.encoder, update=True)


def base_linker(
    terminology: Terminology, pipeline: Pipeline, *, types: Sequence[str], threads: int | None
) -> Linker:
    """The terminology without anything learnt."""
    return Linker.open([terminology], pipeline=pipeline, types=types or None, threads=threads)


def _with_names(linker: Linker, names: Terminology, threads: int | None) -> Linker:
    """Learned names first, so that of equal matches the one that people made wins."""
    pipeline = linker.pipeline
    indexes = [
        open_retriever(names, name, encoder=pipeline.encoder, threads=threads) for name in searched(pipeline)
    ]
    learned = Target(names, indexes, overrides=read_overrides(names))
    return Linker(Targets([learned, *linker.targets.targets]), pipeline, threads=threads)
