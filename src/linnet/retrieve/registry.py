"""The registry of retrievers: kinds of indexes by name, built and opened with the encoder that suits them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from linnet.advice import Step
from linnet.encode import Encoder
from linnet.encode.two_tower import TwoTowers, is_two_tower
from linnet.errors import MismatchError, RequestError
from linnet.registry import registered
from linnet.retrieve.encoder_stamp import index_encoder
from linnet.retrieve.index import Index, index_kind, index_path
from linnet.terminology import Terminology

__all__ = [
    "build_retriever",
    "encoder_for",
    "has_vectors",
    "open_retriever",
    "retriever_class",
    "retrievers",
    "suitable_encoder",
]

# The default encoder of a dense index: a shipped model.
DEFAULT_ENCODER = "ngram"
# Kind → module and class, imported on first use: scipy and faiss load slowly.
retrievers: dict[str, str] = {
    "exact": "linnet.retrieve.exact:ExactIndex",
    "char": "linnet.retrieve.sparse:CharIndex",
    "word": "linnet.retrieve.sparse:WordIndex",
    "sparse": "linnet.retrieve.sparse:SparseIndex",
    "bm25": "linnet.retrieve.bm25:BM25Index",
    "dense": "linnet.retrieve.dense:DenseIndex",
    "entities": "linnet.retrieve.entities:EntityIndex",
}
E = TypeVar("E", bound=object)


def retriever_class(kind: str) -> Any:
    """The class of a kind. Raises UnknownNameError, which lists the kinds."""
    return registered(retrievers, kind, "retriever")


def has_vectors(kind: str) -> bool:
    """Whether indexes of a kind hold vectors. Raises as `retriever_class`."""
    return bool(retriever_class(kind).encoder_of)


def build_retriever(
    terminology: Terminology,
    kind: str,
    *,
    name: str | None = None,
    encoder: Encoder | TwoTowers | str | Path | None = None,
    form: str | None = None,
    glossary: bool = False,
    reuse_from: Path | None = None,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Index:
    """Build `index/NAME` (the kind if no name is given) and open it.

    encoder                     for "dense" and "entities", see `encoder_for`
    form, reuse_from, progress  for the same, see their `build`
    glossary                    for "sparse", "char", "word" and "bm25", see `SparseIndex.build`. Any exact index can be searched
                                with it

    Raises UnknownNameError for an unknown kind, StoreError if the disk cannot be written, and as `encoder_for`.
    """
    options: dict[str, Any] = {"name": name or kind, "threads": threads}
    if has_vectors(kind):
        options |= {"encoder": encoder_for(terminology, kind, encoder, name=name), "form": form}
        options |= {"reuse_from": reuse_from, "progress": progress}
    elif kind != "exact":
        options["glossary"] = glossary
    return retriever_class(kind).build(terminology, **options)  # type: ignore[no-any-return]


def open_retriever(
    terminology: Terminology,
    name: str,
    *,
    encoder: Encoder | TwoTowers | str | Path | None = None,
    glossary: bool = True,
    threads: int | None = None,
) -> Index:
    """Open `index/NAME`, whatever its kind.

    encoder   for "dense" and "entities": refuse an index built with any other of its kind
    glossary  False: search an exact index without `linnet.words.glossary`, and refuse any other index that was built with it

    Raises UnknownNameError for a name that is neither built nor a kind, MismatchError for an index that is refused, and as
    `open_index`.
    """
    kind = index_kind(terminology, name) or name
    retriever = retriever_class(kind)
    if kind == "exact":
        return retriever.open(terminology, name, glossary=glossary)  # type: ignore[no-any-return]
    if has_vectors(kind):
        suitable = suitable_encoder(kind, encoder)
        return retriever.open(terminology, name, encoder=suitable, threads=threads)  # type: ignore[no-any-return]
    index = retriever.open(terminology, name, threads=threads)
    if index.glossary and not glossary:
        raise MismatchError(
            f"{index_path(terminology, name)} uses linnet's glossary, which this pipeline does not.",
            Step.BUILD_INDEX(terminology=terminology.path, retrievers=[kind], plain=True),
        )
    return index  # type: ignore[no-any-return]


def suitable_encoder(kind: str, encoder: E) -> E | None:
    """The encoder if an index of this kind can be built with it: "entities" with two towers, "dense" with any other."""
    wanted = "" if encoder is None else retriever_class(kind).encoder_of
    return encoder if wanted and is_two_tower(encoder) == (wanted == "entities") else None


def encoder_for(
    terminology: Terminology,
    kind: str,
    encoder: Encoder | TwoTowers | str | Path | None,
    *,
    name: str | None = None,
    like: Terminology | None = None,
) -> Any:
    """The encoder to build an index with: the given one, if it suits; else that of the index in `like`; else the shipped `ngram`
    for "dense", and for "entities" that of the index to replace. None for an index without vectors.

    name  of the index; the kind if left out

    Raises RequestError for "entities" without an encoder, DamagedError for an unreadable `index.json`.
    """
    if not has_vectors(kind):
        return None
    suitable = suitable_encoder(kind, encoder) or (like and index_encoder(like, kind))
    if suitable is not None or kind == "dense":
        return suitable or DEFAULT_ENCODER
    before = index_encoder(terminology, name or kind)
    if before is None:
        raise RequestError(
            'An index of entities needs an encoder with two towers, of a training with task "two-tower".',
            Step.BUILD_INDEX(terminology=terminology.path, encoder="DIRECTORY"),
        )
    return before
