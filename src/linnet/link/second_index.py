"""The index that only a reranker with a second encoder searches, see `linnet.rerank.second_stage`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from linnet.advice import Step
from linnet.encode.model import open_model
from linnet.encode.named_models import model_place
from linnet.errors import MismatchError, StoreError
from linnet.io.artifact import read_manifest
from linnet.link.pipeline_files import pipelines
from linnet.rerank.name_feature_index import NameFeatureIndex
from linnet.rerank.second_stage import ENCODER, shared_encoder
from linnet.retrieve import retrievers
from linnet.retrieve.dense import DenseIndex
from linnet.retrieve.index import MANIFEST, index_path
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology

__all__ = ["RESERVED", "SecondIndex", "check_unoccupied", "open_second_index", "second_index"]


RESERVED = frozenset(retrievers) | {Spelling.kind, NameFeatureIndex.kind}
"""Names in a terminology's `index/` that no second encoder's index can have."""


class SecondIndex(NamedTuple):
    """
    name     of the index in each terminology
    encoder  directory
    """

    name: str
    encoder: Path


def second_index(reranker: str | Path | None) -> SecondIndex | None:
    """The index that a reranker searches; None if it searches none, or does not exist."""
    path = None if reranker is None else model_place(reranker)
    if path is None or not path.is_dir():
        return None
    model = open_model(path, checked=False)
    return (
        SecondIndex(str(model.options.get("index", model.name)), path / ENCODER)
        if model.kind == "second-encoder"
        else None
    )


def check_unoccupied(terminology: Terminology, wanted: SecondIndex) -> None:
    """Raise MismatchError if an index of that name holds another encoder's vectors, which a model may still search."""
    path = index_path(terminology, wanted.name)
    if not path.is_dir():
        return
    fields = read_manifest(
        path, MANIFEST, what="index", rebuild=Step.BUILD_INDEX(terminology=terminology.path, update=True)
    )
    stamp = fields.get("options", {}).get("encoder", {})
    if stamp.get("digest") != open_model(wanted.encoder, checked=False).digest:
        raise MismatchError(
            f"{path} is of encoder '{stamp.get('name')}', which another model may search; training would replace it. "
            f"Give 'output' another name than '{wanted.name}', which the index gets, or remove the index: rm -r {path}"
        )


def open_second_index(
    terminology: Terminology, reranker: str | Path | None, *, threads: int | None = None
) -> DenseIndex | None:
    """The index that a reranker searches; None if it searches none.

    Raises as `DenseIndex.open`, and StoreError where it has not been built.
    """
    wanted = second_index(reranker)
    if wanted is None:
        return None
    named = {"pipeline" if reranker in pipelines else "reranker": reranker}
    build = Step.BUILD_INDEX(terminology=terminology.path, update=True, **named)
    if not index_path(terminology, wanted.name).is_dir():
        raise StoreError(
            f"{terminology.path} has no index '{wanted.name}', which the reranker '{reranker}' searches.",
            build,
        )
    encoder = shared_encoder(wanted.encoder, threads=threads)
    return DenseIndex.open(terminology, wanted.name, encoder=encoder, threads=threads, rebuild=build)
