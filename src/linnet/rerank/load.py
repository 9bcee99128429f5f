"""A reranker by name: a model directory, or a shipped model."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from linnet.encode.load import SHIPPED, model_place
from linnet.encode.model import MANIFEST, open_model
from linnet.errors import MismatchError, StoreError, UnknownNameError
from linnet.rerank.reranker import Reranker

__all__ = ["open_reranker", "reranker_class", "rerankers"]

# Kind in model.toml → module and class. Imported when first used.
rerankers: dict[str, str] = {
    "dual": "linnet.rerank.dual:DualReranker",
    "listwise": "linnet.rerank.listwise:ListwiseReranker",
}


def open_reranker(name_or_path: str | Path, *, threads: int | None = None) -> Reranker:
    """Open a reranker.

    name_or_path  a model directory, or the name of a shipped model
    threads       cores it uses, None for all available; scores do not depend on it

    Raises UnknownNameError for a name that is neither, StoreError, DamagedError or MismatchError where the directory
    cannot be used or holds something that does not rerank.
    """
    name, path = str(name_or_path), model_place(name_or_path)
    if not path.is_dir():
        if isinstance(name_or_path, Path) or "/" in name or name.startswith("."):
            raise StoreError(f"{path} is not a reranker: no such directory. Check the path.")
        raise UnknownNameError("reranker", name, [*_shipped_names(), "DIRECTORY", "none"])
    found: Reranker = reranker_class(open_model(path, checked=False).kind, path).open(path, threads=threads)
    return found


def reranker_class(kind: str, path: Path) -> Any:
    """The class for a kind. Raises MismatchError for one that does not rerank, or that this version does not know."""
    if kind not in rerankers:
        known = ", ".join(sorted(rerankers)) or "none"
        raise MismatchError(
            f"{path} holds a model of kind '{kind}'; the kinds that rerank are: {known}. "
            "Name a reranker's directory, or update linnet."
        )
    module, name = rerankers[kind].split(":")
    return getattr(import_module(module), name)


def _shipped_names() -> list[str]:
    """Names of the models in the package that rerank."""
    folders = (file.parent for file in sorted(SHIPPED.glob(f"*/{MANIFEST}")))
    return [folder.name for folder in folders if open_model(folder, checked=False).kind in rerankers]
