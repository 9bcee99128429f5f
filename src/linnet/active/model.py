"""Opens a version of a project's model for predicting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from linnet.errors import UnknownNameError
from linnet.link import Linker
from linnet.link.indexing import build_indexes, build_second_index
from linnet.link.learned import learned_linker
from linnet.link.pipeline import Pipeline
from linnet.link.pipeline_files import pipelines
from linnet.link.second_index import second_index
from linnet.recognise import COMBINED, DICTIONARY
from linnet.terminology import Terminology
from linnet.types import Document, Link

__all__ = [
    "Model",
    "Predicted",
    "base_linker",
    "ensure_indexes",
    "open_model",
    "pipeline_of",
    "searches_own_index",
]


class Predicted(NamedTuple):
    """A document and the links of the mentions found in it."""

    document: Document
    links: list[Link]


class Model:
    """Predicts mentions and links. Immutable."""

    def __init__(self, linker: Linker) -> None:
        self.linker = linker

    def predict(self, documents: Sequence[Document]) -> Iterator[Predicted]:
        """Find and link mentions; ignores those the documents have. Order kept."""
        bare = (document.with_mentions(()) for document in documents)
        for document, links in self.linker.link_documents(bare, recognise=True, k=5):
            yield Predicted(document.with_mentions([link.mention for link in links]), links)


def open_model(
    terminology: Terminology,
    folder: Path | None,
    *,
    types: Sequence[str] = (),
    recogniser: str = "",
    pipeline: str | Pipeline = "",
    threads: int | None = 1,
) -> Model:
    """Open a version.

    folder      of the version; None for the terminology alone
    types       of the concepts to link to; () for all
    recogniser  see `pipeline_of`
    pipeline    a name, see `pipeline_of`; or a pipeline to use as it is

    Raises StoreError or MismatchError if an index is missing, damaged, or of another version of the terminology, and
    UnknownNameError if this linnet lacks the pipeline or a model.
    """
    if isinstance(pipeline, str):
        pipeline = pipeline_of(terminology, recogniser, pipeline)
    if folder is None:
        return Model(base_linker(terminology, pipeline, types=types, threads=threads))
    return Model(
        learned_linker(
            terminology,
            folder,
            pipeline=pipeline,
            recogniser=pipeline.recogniser,
            concept_types=types or None,
            threads=threads,
        )
    )


def pipeline_of(terminology: Terminology, recogniser: str = "", pipeline: str = "") -> Pipeline:
    """The pipeline of a project. A doubtful link is a suggestion: projects hide predictions below a limit of their own.

    recogniser  what finds mentions; "" for the manifest's, but names alone instead of the combined one
    pipeline    name of `linnet.link.pipeline_files.pipelines`; "" for the one in the terminology's manifest

    Raises UnknownNameError for an unknown pipeline, MismatchError if the manifest's cannot be read.
    """
    if pipeline and pipeline not in pipelines:
        raise UnknownNameError("pipeline", pipeline, pipelines)
    own = Pipeline.from_manifest(terminology.pipeline)
    chosen = replace(own, **pipelines[pipeline]) if pipeline else own
    alone = DICTIONARY if chosen.recogniser == COMBINED else chosen.recogniser
    return replace(
        chosen,
        recogniser=recogniser or alone,
        min_probability_recognised=chosen.min_probability,
    )


def ensure_indexes(
    terminology: Terminology, pipeline: str = "", *, progress: Callable[[str, int, int], None] | None = None
) -> None:
    """Build missing and outdated indexes of a project's pipeline.

    pipeline  a name, see `pipeline_of`
    progress  called with the current step, the amount done, and the total. What it raises stops the building, which the next
              call continues
    """
    chosen = pipeline_of(terminology, pipeline=pipeline)
    build_indexes(terminology, chosen.retrievers, encoder=chosen.encoder, update=True, progress=progress)
    build_second_index(terminology, second_index(chosen.reranker), update=True, progress=progress)


def searches_own_index(terminology: Terminology, pipeline: str) -> bool:
    """Whether a pipeline's reranker searches an index of its own, which may have to be built first.

    pipeline  a name, see `pipeline_of`
    """
    return second_index(pipeline_of(terminology, pipeline=pipeline).reranker) is not None


def base_linker(
    terminology: Terminology, pipeline: Pipeline, *, types: Sequence[str], threads: int | None
) -> Linker:
    """Linker of the terminology alone, with nothing learnt."""
    return Linker.open([terminology], pipeline=pipeline, concept_types=types or None, threads=threads)
