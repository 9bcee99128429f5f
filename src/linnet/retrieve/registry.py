"""The registry of retrievers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from linnet.encode import Encoder
from linnet.errors import MismatchError
from linnet.registry import registered
from linnet.retrieve.index import Index, index_kind, index_path
from linnet.terminology import Terminology

__all__ = ["build_retriever", "open_retriever", "retriever_class", "retrievers"]

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
}


def retriever_class(kind: str) -> Any:
    """The class of a kind. Raises UnknownNameError, which lists the kinds."""
    return registered(retrievers, kind, "retriever")


def build_retriever(
    terminology: Terminology,
    kind: str,
    *,
    name: str | None = None,
    encoder: Encoder | str | Path | None = None,
    form: str | None = None,
    reuse_from: Path | None = None,
    glossary: bool = False,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Index:
    """Build `index/NAME` (the kind if no name is given) and open it.

    encoder, form, reuse_from, progress  for "dense" only, see `DenseIndex.build`; the default encoder is the shipped `ngram`
    glossary                             for "sparse", "char", "word" and "bm25", see `SparseIndex.build`. Any exact index can
                                         be searched with it

    Raises UnknownNameError for an unknown kind, StoreError if the disk cannot be written.
    """
    options: dict[str, Any] = {"name": name or kind, "threads": threads}
    if kind == "dense":
        options |= {"encoder": encoder or DEFAULT_ENCODER, "form": form}
        options |= {"reuse_from": reuse_from, "progress": progress}
    elif kind != "exact":
        options["glossary"] = glossary
    return retriever_class(kind).build(terminology, **options)  # type: ignore[no-any-return]


def open_retriever(
    terminology: Terminology,
    name: str,
    *,
    encoder: Encoder | str | Path | None = None,
    glossary: bool = True,
    threads: int | None = None,
) -> Index:
    """Open `index/NAME`, whatever its kind.

    encoder   for "dense": refuse an index built with any other
    glossary  False: search an exact index without `linnet.glossary`, and refuse any other index that was built with it

    Raises UnknownNameError for a name that is neither built nor a kind, and as `open_index`.
    """
    kind = index_kind(terminology, name) or name
    retriever = retriever_class(kind)
    if kind == "exact":
        return retriever.open(terminology, name, glossary=glossary)  # type: ignore[no-any-return]
    if kind == "dense":
        return retriever.open(terminology, name, encoder=encoder, threads=threads)  # type: ignore[no-any-return]
    index = retriever.open(terminology, name, threads=threads)
    if index.glossary and not glossary:
        raise MismatchError(
            f"{index_path(terminology, name)} was built with the glossary, which the pipeline does not use. "
            f"Run: linnet index {terminology.path} --retriever {kind} --no-glossary"
        )
    return index  # type: ignore[no-any-return]
