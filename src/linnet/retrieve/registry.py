"""The registry of retrievers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from linnet import artifact
from linnet.encode import Encoder
from linnet.errors import MismatchError, RequestError
from linnet.registry import registered
from linnet.retrieve.index import MANIFEST, Index, index_kind, index_path
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
    "entities": "linnet.retrieve.entities:EntityIndex",
}
_WITH_ENCODER = ("dense", "entities")


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

    encoder                      for "dense" and "entities", and only for the one whose kind of encoder it is. Default: for "dense" the
                                 shipped `ngram`, for "entities" that of the existing index
    form, reuse_from, progress   for the same, see their `build`
    glossary                             for "sparse", "char", "word" and "bm25", see `SparseIndex.build`. Any exact index can
                                         be searched with it

    Raises UnknownNameError for an unknown kind, RequestError for "entities" without an encoder, StoreError if the disk cannot be
    written.
    """
    options: dict[str, Any] = {"name": name or kind, "threads": threads}
    if kind in _WITH_ENCODER:
        fitting = _fitting(kind, encoder) or _usual_encoder(terminology, kind, name or kind)
        options |= {"encoder": fitting, "form": form}
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

    encoder   for "dense" or "entities", as its kind is: refuse an index built with any other
    glossary  False: search an exact index without `linnet.glossary`, and refuse any other index that was built with it

    Raises UnknownNameError for a name that is neither built nor a kind, and as `open_index`.
    """
    kind = index_kind(terminology, name) or name
    retriever = retriever_class(kind)
    if kind == "exact":
        return retriever.open(terminology, name, glossary=glossary)  # type: ignore[no-any-return]
    if kind in _WITH_ENCODER:
        fitting = _fitting(kind, encoder)
        return retriever.open(terminology, name, encoder=fitting, threads=threads)  # type: ignore[no-any-return]
    index = retriever.open(terminology, name, threads=threads)
    if index.glossary and not glossary:
        raise MismatchError(
            f"{index_path(terminology, name)} was built with the glossary, which the pipeline does not use. "
            f"Run: linnet index {terminology.path} --retriever {kind} --no-glossary"
        )
    return index  # type: ignore[no-any-return]


def _fitting(kind: str, encoder: Encoder | str | Path | None) -> Encoder | str | Path | None:
    """The encoder if it is for this kind of index: two towers for "entities", any other for "dense"."""
    if encoder is None:
        return None
    from linnet.encode.two_tower import is_two_tower

    return encoder if is_two_tower(encoder) == (kind == "entities") else None


def _usual_encoder(terminology: Terminology, kind: str, name: str) -> str:
    """The encoder of an index that is built without naming one."""
    if kind == "dense":
        return DEFAULT_ENCODER
    path = index_path(terminology, name)
    if not path.is_dir():
        raise RequestError(
            'An index of entities needs an encoder with two towers, which `linnet train` makes (task "two-tower"). '
            f"Run: linnet index {terminology.path} --encoder DIRECTORY"
        )
    rebuild = f"linnet index {terminology.path} --encoder DIRECTORY"
    fields = artifact.read_manifest(path, MANIFEST, what="index", rebuild=rebuild)
    return str(fields["options"]["encoder"]["source"])
