"""From source files to a terminology that is ready to link: compiled and indexed in one call."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

from linnet.encode.load import load_encoder
from linnet.encode.two_tower import is_two_tower, load_two_towers
from linnet.errors import DataError, RequestError, StoreError, UnknownNameError
from linnet.link.default_pipeline import kept_pipeline
from linnet.link.indexing import check_request, index_terminology
from linnet.plural import counted
from linnet.terminology import Terminology
from linnet.terminology.build import SourceOptions, build_terminology, read_options
from linnet.terminology.store import MANIFEST

__all__ = ["BuildOptions", "build"]

_LOG = logging.getLogger("linnet.terminology")


class IndexOptions(TypedDict, total=False):
    """How a terminology is indexed, by keyword; see `index_terminology`."""

    retrievers: Sequence[str] | None
    encoder: str | Path | None
    dense: str | None
    glossary: bool | None
    reranker: str | Path | None
    pipeline: str | Path | None
    threads: int | None


class BuildOptions(SourceOptions, IndexOptions, total=False):
    """The keyword arguments of `linnet.build`."""

    format: str | None
    overwrite: bool


def build(sources: str | Path | Sequence[str | Path], out: str | Path, given: BuildOptions) -> Terminology:
    """What `linnet.build` does, with its options as a mapping."""
    options: dict[str, Any] = dict(given)
    for name in options:
        if name not in BuildOptions.__annotations__:
            raise UnknownNameError("option", name, BuildOptions.__annotations__)
    paths = [sources] if isinstance(sources, str | Path) else list(sources)
    if not paths:
        raise RequestError("No source to build from. Name one file or more.")
    if not options.pop("overwrite", False) and (Path(out) / MANIFEST).exists():
        raise StoreError(
            f"{out} is a terminology already. Choose another directory, or replace it: overwrite=True"
        )
    format = options.pop("format", None)
    indexing = {name: options.pop(name) for name in IndexOptions.__annotations__ if name in options}
    check_request(indexing.get("retrievers"), indexing.get("encoder"), indexing.get("dense"))
    if indexing.get("encoder") is not None:
        # Refuse an unknown one before compiling.
        load = load_two_towers if is_two_tower(indexing["encoder"]) else load_encoder
        load(indexing["encoder"], threads=indexing.get("threads"))
    skipped: list[DataError] = []
    terminology = build_terminology(
        paths,
        out,
        format=format,
        options=read_options({"report": skipped.append, **options}),
        pipeline=kept_pipeline(Path(out)),
    )
    if skipped:
        _LOG.warning(
            "Skipped %s; the first: %s", counted(len(skipped), "malformed rows"), skipped[0].happened
        )
    index_terminology(terminology, **indexing)
    return Terminology.open(out)
