"""Opening a terminology with everything that a pipeline uses of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linnet.advice import Step
from linnet.arrays import Mask
from linnet.errors import StoreError
from linnet.link.member import Member
from linnet.link.pipeline import Pipeline
from linnet.link.second_index import open_second_index
from linnet.rerank.name_feature_index import NameFeatureIndex
from linnet.retrieve import open_retriever
from linnet.retrieve.entities import EntityIndex
from linnet.retrieve.index import index_path
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology
from linnet.terminology.overrides import read_overrides

__all__ = ["open_member"]


def open_member(
    terminology: Terminology,
    pipeline: Pipeline,
    *,
    allowed: Mask | None,
    threads: int | None,
    second_of: Terminology | None = None,
    overrides: str | Path | None = None,
    others: Sequence[Terminology] = (),
) -> Member:
    """A terminology with everything that a pipeline uses. Raises as `Linker.open`.

    second_of  another copy of it, which has the index that the reranker searches
    overrides  file of overrides beside its own, which may name concepts of the `others` that are linked to
    """
    _check_indexes(terminology, pipeline.retrievers)
    indexes = [
        open_retriever(
            terminology, name, encoder=pipeline.encoder, glossary=pipeline.glossary, threads=threads
        )
        for name in pipeline.retrievers
    ]
    return Member(
        terminology,
        [index for index in indexes if not isinstance(index, EntityIndex)],
        entities=next((index for index in indexes if isinstance(index, EntityIndex)), None),
        second=open_second_index(second_of or terminology, pipeline.reranker, threads=threads),
        allowed=allowed,
        overrides=read_overrides(terminology, Path(overrides) if overrides else None, others=others),
        name_features=NameFeatureIndex.open_current(terminology) if pipeline.reranker else None,
        spelling=_open_spelling(terminology, pipeline),
    )


def _open_spelling(terminology: Terminology, pipeline: Pipeline) -> Spelling | None:
    """The vocabulary for misspelt words; None if the pipeline does not correct spelling, or searches no exact index, with
    which it is built. Raises as `Spelling.open`: without it, misspelt names would get other links."""
    if not pipeline.spelling:
        return None
    if "exact" in pipeline.retrievers or index_path(terminology, Spelling.kind).exists():
        return Spelling.open(terminology)
    return None


def _check_indexes(terminology: Terminology, names: Sequence[str]) -> None:
    """Raises StoreError with one advice if several indexes are missing: a command for one of them would make this one the
    default."""
    missing = [name for name in names if not index_path(terminology, name).exists()]
    if len(missing) > 1:
        raise StoreError(
            f"{terminology.path} lacks the indexes {', '.join(missing)}.",
            Step.BUILD_INDEX(terminology=terminology.path, retrievers=list(names)),
        )
