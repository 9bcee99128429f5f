"""Compiles concepts into a terminology on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linnet.errors import DataError, StoreError
from linnet.io import artifact
from linnet.plural import counted
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
    notice: Callable[[str], None] | None = None,
) -> Terminology:
    """Compile concepts into a directory and open it.

    sources   where the concepts come from, for the manifest ({"path", "format", "version", "licence", "digest"})
    pipeline  default pipeline, for the manifest
    notice    called with a sentence if concepts with one id share no name

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
        if staging.strangers and notice is not None:
            notice(_of_strangers(staging.strangers))
        with artifact.replacing_directory(target, keep=("overrides.tsv", "index")) as draft:
            _write(draft, staged, sources, pipeline or {})
    return Terminology.open(target)


def _of_strangers(strangers: Mapping[str, tuple[str, str]]) -> str:
    id, (name, other) = next(iter(strangers.items()))
    return (
        f"under {counted(len(strangers), 'ids')}, several files have concepts without a common name, e.g. {id}: '{name}' and '{other}'. "
        "Each became one concept with all these names. If such an id means different things, build each file with a prefix of its own, "
        "then merge them."
    )


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
