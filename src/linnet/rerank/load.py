"""Open a reranker by name: a model directory or a shipped model."""

from __future__ import annotations

from pathlib import Path

from linnet.encode.named_models import absent_model, model_class, model_place
from linnet.rerank.reranker import Reranker

__all__ = ["open_reranker", "rerankers"]

# Kind in model.toml → module and class, imported on first use.
rerankers: dict[str, str] = {
    "dual": "linnet.rerank.dual:DualReranker",
    "listwise": "linnet.rerank.listwise:ListwiseReranker",
    "strengths": "linnet.rerank.strengths:StrengthReranker",
    "second-encoder": "linnet.rerank.second_stage:SecondStageReranker",
}


def open_reranker(name_or_path: str | Path, *, threads: int | None = None) -> Reranker:
    """Open a reranker.

    name_or_path  a model directory, or the name of a shipped model
    threads       cores it uses, None for all available; scores do not depend on it

    Raises UnknownNameError for a name that is neither; StoreError, DamagedError or MismatchError if the directory cannot be
    used or does not hold a reranker.
    """
    path = model_place(name_or_path)
    if not path.is_dir():
        raise absent_model(name_or_path, "reranker", rerankers, ["DIRECTORY", "none"])
    opened: Reranker = model_class(path, "a reranker", rerankers).open(path, threads=threads)
    return opened
