"""Compiles concepts into a terminology on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linnet import artifact
from linnet.errors import DataError, StoreError
from linnet.terminology.store import FORMAT_VERSION, MANIFEST, Terminology
from linnet.types import Concept

if TYPE_CHECKING:
    from linnet.terminology.staging import StagedConcepts

__all__ = ["write_terminology"]


def write_terminology(
    concepts: Iterable[Concept],
    path: str | Path,
    *,
    sources: Sequence[Mapping[str, Any]] = (),
    pipeline: Mapping[str, Any] | None = None,
) -> Terminology:
    """Compile concepts into a directory and open it.

    sources   where the concepts come from, for the manifest ({"path", "format", "version", "licence", "digest"})
    pipeline  default pipeline, for the manifest

    Concepts with one id are united (`linnet.terminology.staging.union`). Parents that are not among the concepts are
    dropped and counted. An existing terminology is replaced; its `overrides.tsv` is kept, and so are its indexes, which
    are then outdated. Concepts are staged on the disk of `path`, so memory holds only a few hundred bytes per concept.
    Raises DataError if no concept has a name, StoreError if `path` holds something else or cannot be written.
    """
    # Only writing needs it, and `pyarrow.compute` takes longer to import than all else that opening a terminology needs.
    from linnet.terminology.staging import Staging

    target = Path(path)
    occupied = target.exists() and (not target.is_dir() or any(target.iterdir()))
    if occupied and not (target / MANIFEST).exists():
        raise StoreError(f"{target} exists and is not a terminology. Choose another directory for -o.")
    with artifact.scratch_directory(target) as scratch:
        with Staging(scratch / "concepts.arrow") as staging:
            staging.add(concepts)
        staged = staging.sorted()
        if not len(staged):
            raise DataError("no concept has a name. Check the format and the filters.", path=target)
        with artifact.replacing_directory(target, keep=("overrides.tsv", "index")) as draft:
            _write(draft, staged, sources, pipeline or {})
    return Terminology.open(target)


def _write(
    draft: Path, staged: StagedConcepts, sources: Sequence[Mapping[str, Any]], pipeline: Mapping[str, Any]
) -> None:
    from linnet.terminology.store_writer import write_arrays

    written = write_arrays(draft, staged)
    arrays = ("concepts", "names", "definitions", "xrefs", "edges", "aliases")
    fields = {
        "format": FORMAT_VERSION,
        "digest": artifact.digest(*(draft / f"{name}.arrow" for name in arrays)),
        **written,
        "sources": [dict(source) for source in sources],
        "pipeline": dict(pipeline),
    }
    artifact.write_manifest(draft, MANIFEST, fields)
