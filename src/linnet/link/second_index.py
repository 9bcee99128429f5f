"""The index that only a reranker with a second encoder searches, see `linnet.rerank.second_encoder`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from linnet.encode.model import open_model
from linnet.encode.named_models import model_place
from linnet.errors import StoreError
from linnet.link.pipeline_files import pipelines
from linnet.rerank.second_encoder import ENCODER, shared_encoder
from linnet.retrieve.dense import DenseIndex
from linnet.retrieve.index import index_path
from linnet.terminology import Terminology

__all__ = ["SecondIndex", "open_second_index", "second_index"]


class SecondIndex(NamedTuple):
    """
    name     of the index in each terminology
    encoder  directory
    """

    name: str
    encoder: Path


def second_index(reranker: str | Path | None) -> SecondIndex | None:
    """The index that a reranker searches; None if it searches none, or does not exist."""
    place = None if reranker is None else model_place(reranker)
    if place is None or not place.is_dir():
        return None
    model = open_model(place, checked=False)
    return (
        SecondIndex(str(model.options.get("index", model.name)), place / ENCODER)
        if model.kind == "second-encoder"
        else None
    )


def open_second_index(
    terminology: Terminology, reranker: str | Path | None, *, threads: int | None = None
) -> DenseIndex | None:
    """The index that a reranker searches; None if it searches none.

    Raises as `DenseIndex.open`, and StoreError that names the command where it has not been built.
    """
    wanted = second_index(reranker)
    if wanted is None:
        return None
    option = f"--pipeline {reranker}" if reranker in pipelines else f"--reranker {reranker}"
    build = f"linnet index {terminology.path} {option} --update"
    if not index_path(terminology, wanted.name).is_dir():
        raise StoreError(
            f"{terminology.path} has no index '{wanted.name}', which the reranker '{reranker}' searches. Run: {build}"
        )
    encoder = shared_encoder(wanted.encoder, threads=threads)
    return DenseIndex.open(terminology, wanted.name, encoder=encoder, threads=threads)
