"""The retrievers by kind."""

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

# The encoder of a dense index when none is named: a shipped model.
DEFAULT = "ngram"
# Kind → module and class. Imported when first used: scipy and faiss take a while.
retrievers: dict[str, str] = {
    "exact": "linnet.retrieve.exact:ExactIndex",
    "char": "linnet.retrieve.sparse:CharIndex",
    "word": "linnet.retrieve.sparse:WordIndex",
    "sparse": "linnet.retrieve.sparse:SparseIndex",
    "bm25": "linnet.retrieve.bm25:BM25Index",
    "dense": "linnet.retrieve.dense:DenseIndex",
}


def retriever_class(kind: str) -> Any:
    """The class for a kind. Raises UnknownNameError listing the kinds."""
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
    advanced: Callable[[str, int, int], None] | None = None,
) -> Index:
    """Build `index/NAME` (the kind, when no name is given) and open it.

    encoder, form, reuse_from, advanced  for "dense" only, see `DenseIndex.build`; the shipped `ngram` when left out

    glossary  for "sparse", "char", "word" and "bm25": see `SparseIndex.build`. An exact index can always be searched with it

    Raises UnknownNameError for an unknown kind, StoreError when the disk refuses.
    """
    chosen = retriever_class(kind)
    place = name or kind
    if kind == "exact":
        return chosen.build(terminology, name=place, threads=threads)  # type: ignore[no-any-return]
    if kind == "dense":
        return chosen.build(  # type: ignore[no-any-return]
            terminology,
            name=place,
            encoder=encoder or DEFAULT,
            form=form,
            reuse_from=reuse_from,
            threads=threads,
            advanced=advanced,
        )
    return chosen.build(terminology, name=place, glossary=glossary, threads=threads)  # type: ignore[no-any-return]


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
    glossary  False: search an exact index without `linnet.glossary`, and refuse another that was built with it

    Raises UnknownNameError for a name that is neither built nor a kind, and as `open_index`.
    """
    kind = index_kind(terminology, name) or name
    chosen = retriever_class(kind)
    if kind == "exact":
        return chosen.open(terminology, name, glossary=glossary)  # type: ignore[no-any-return]
    if kind == "dense":
        return chosen.open(terminology, name, encoder=encoder, threads=threads)  # type: ignore[no-any-return]
    index = chosen.open(terminology, name, threads=threads)
    if index.glossary and not glossary:
        raise MismatchError(
            f"{index_path(terminology, name)} was built with the glossary, and the pipeline does without. "
            f"Run: linnet index {terminology.path} --retriever {kind} --no-glossary"
        )
    return index  # type: ignore[no-any-return]
