"""Concepts → a compiled terminology on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linnet import artifact
from linnet.errors import DataError, StoreError
from linnet.terminology.store import FORMAT_VERSION, MANIFEST, Terminology
from linnet.types import Concept

if TYPE_CHECKING:
    from linnet.terminology.gather import Gathered

__all__ = ["write_terminology"]


def write_terminology(
    concepts: Iterable[Concept],
    path: str | Path,
    *,
    sources: Sequence[Mapping[str, Any]] = (),
    pipeline: Mapping[str, Any] | None = None,
) -> Terminology:
    """Compile concepts into a directory and open it.

    sources   where they come from, kept in the manifest ({"path", "format", "version", "licence", "digest"})
    pipeline  default pipeline kept in the manifest

    Concepts of one id are united (`linnet.terminology.gather.union`). Parents that are not among the concepts are
    dropped and counted. An existing terminology there is replaced as a whole, its `overrides.tsv` kept; its indexes stay,
    out of date. Concepts are put aside on the disk of `path` as they come: memory holds a few hundred bytes each, not the
    concepts.
    Raises DataError when no concept has a name, StoreError when `path` holds something else or the disk refuses.
    """
    # Only writing needs it, and `pyarrow.compute` takes longer to import than all else that opening a terminology needs.
    from linnet.terminology.gather import Gathering

    target = Path(path)
    if (
        target.exists()
        and not (target / MANIFEST).exists()
        and (not target.is_dir() or any(target.iterdir()))
    ):
        raise StoreError(f"{target} exists and is not a terminology. Choose another directory for -o.")
    with artifact.scratch_directory(target) as scratch:
        with Gathering(scratch / "concepts.arrow") as gathering:
            gathering.add(concepts)
        gathered = gathering.sorted()
        if not len(gathered):
            raise DataError(
                "no concept with a name: nothing to build. Check the format and the filters.", path=target
            )
        with artifact.replacing_directory(target, keep=("overrides.tsv", "index")) as draft:
            _write(draft, gathered, sources, pipeline or {})
    return Terminology.open(target)


def _write(
    draft: Path, gathered: Gathered, sources: Sequence[Mapping[str, Any]], pipeline: Mapping[str, Any]
) -> None:
    from linnet.terminology.layout import write_arrays

    written = write_arrays(draft, gathered)
    content = artifact.digest(
        *(
            draft / f"{name}.arrow"
            for name in ("concepts", "names", "definitions", "xrefs", "edges", "aliases")
        )
    )
    fields = {
        "format": FORMAT_VERSION,
        "digest": content,
        **written,
        "sources": [dict(source) for source in sources],
        "pipeline": dict(pipeline),
    }
    artifact.write_manifest(draft, MANIFEST, fields)
