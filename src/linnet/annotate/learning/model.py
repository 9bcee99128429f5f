"""Opens a version of a project's model for predicting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from linnet.link import Linker
from linnet.link.indexing import build_indexes, build_second_index
from linnet.link.learned import learned_linker
from linnet.link.pipeline import Pipeline
from linnet.link.second_index import second_index
from linnet.recognise import COMBINED, DICTIONARY
from linnet.terminology import Terminology
from linnet.types import Document, Link

__all__ = ["Model", "Predicted", "base_linker", "ensure_indexes", "open_model", "pipeline_of"]


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
    pipeline: Pipeline | None = None,
    threads: int | None = 1,
) -> Model:
    """Open a version.

    folder      of the version; None for the terminology alone
    types       of the concepts to link to; () for all
    recogniser  see `pipeline_of`
    pipeline    instead of the terminology's

    Raises StoreError or MismatchError if an index is missing, damaged, or of another version of the terminology.
    """
    pipeline = pipeline or pipeline_of(terminology, recogniser)
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


def pipeline_of(terminology: Terminology, recogniser: str = "") -> Pipeline:
    """The pipeline in the terminology's manifest. A doubtful link is a suggestion: projects hide predictions below a limit of their own.

    recogniser  what finds mentions; "" for the manifest's, but names alone instead of the combined one
    """
    pipeline = Pipeline.from_manifest(terminology.pipeline)
    alone = DICTIONARY if pipeline.recogniser == COMBINED else pipeline.recogniser
    return replace(
        pipeline,
        recogniser=recogniser or alone,
        min_probability_recognised=pipeline.min_probability,
    )


def ensure_indexes(terminology: Terminology) -> None:
    """Build missing and outdated indexes of the terminology's pipeline."""
    pipeline = pipeline_of(terminology)
    build_indexes(terminology, pipeline.retrievers, encoder=pipeline.encoder, update=True)
    second = second_index(pipeline.reranker)
    if second is not None:
        build_second_index(terminology, second, update=True)


def base_linker(
    terminology: Terminology, pipeline: Pipeline, *, types: Sequence[str], threads: int | None
) -> Linker:
    """Linker of the terminology alone, with nothing learnt."""
    return Linker.open([terminology], pipeline=pipeline, concept_types=types or None, threads=threads)
