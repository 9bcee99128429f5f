"""From source files to a compiled terminology."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.io import artifact
from linnet.io.files import on_disk
from linnet.io.folders import files_below
from linnet.terminology.parent_cycles import described_cycle
from linnet.terminology.readers import ReadOptions, detect, read_several
from linnet.terminology.readers.options import SourceFile
from linnet.terminology.readers.plan import plan_table
from linnet.terminology.store import Terminology
from linnet.terminology.write import write_terminology
from linnet.types import Concept

__all__ = ["SourceOptions", "build_terminology", "explain_sources", "read_options", "source_record"]


class SourceOptions(TypedDict, total=False):
    """How source files are read, by keyword: the fields of `ReadOptions`, of which "concept_types" is `types` and "prefixes" is
    `only_prefixes`."""

    concept_types: Collection[str] | None
    prefixes: Collection[str] | None
    vocabularies: Collection[str] | None
    trees: Collection[str] | None
    languages: Collection[str] | None
    scopes: Collection[str] | None
    name_types: Collection[str] | None
    standard: bool
    suppressed: bool
    permuted: bool
    columns: Mapping[str, str | int | Sequence[str | int]]
    header: bool | None
    delimiter: str
    separator: str | None
    sheet: str
    prefix: str
    type: str
    on_error: Literal["stop", "skip"]
    report: Callable[[DataError], None] | None
    notice: Callable[[str], None] | None


_LISTS = ("concept_types", "prefixes", "vocabularies", "trees", "languages", "scopes", "name_types")
_FIELDS = {"concept_types": "types", "prefixes": "only_prefixes"}


def read_options(given: Mapping[str, Any]) -> ReadOptions:
    """The options for reading that `SourceOptions` stand for; an empty list is none.

    Raises UnknownNameError for an unknown option, RequestError for a value that one cannot have.
    """
    known = SourceOptions.__annotations__
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise UnknownNameError("option", name, known)
        if name in _LISTS:
            if isinstance(value, str):
                raise RequestError(f"'{name}' must be a list; got '{value}'. Write: ['{value}']")
            if not value:
                continue
            value = frozenset(value)
        values[_FIELDS.get(name, name)] = value
    return ReadOptions(**values)


def build_terminology(
    sources: Sequence[str | Path],
    out: str | Path,
    *,
    options: ReadOptions,
    format: str | None = None,
    pipeline: Mapping[str, Any] | None = None,
    each: Callable[[Iterator[Concept], Path], Iterator[Concept]] = lambda concepts, path: concepts,
) -> Terminology:
    """Compile source files into the directory `out`, and open it.

    sources   files and directories, united by concept id
    format    of all sources, a name in `linnet.terminology.readers.readers`; None: detected from their content
    pipeline  default pipeline, for the manifest
    each      wraps the concepts of each source, e.g. to show progress

    Raises as `read_several` and `write_terminology`.
    """
    paths = [Path(source) for source in sources]
    formats = [format or detect(path, columns=options.columns) for path in paths]
    concepts = read_several(paths, formats=formats, options=options, each=each)
    records = [source_record(path, format=name) for path, name in zip(paths, formats, strict=True)]
    tell = SourceFile(Path(out), options).tell
    built = write_terminology(concepts, out, sources=records, pipeline=pipeline, notice=tell)
    if cycle := described_cycle(built):
        tell(
            f"{built.manifest['counts']['in_cycles']:,} concepts are their own ancestors, e.g. {cycle} (each is followed by a parent). "
            "These parents are kept; if one is wrong, correct the source."
        )
    return built


def explain_sources(
    sources: Sequence[str | Path], *, options: ReadOptions, format: str | None = None
) -> Iterator[str]:
    """How each source would be read, in lines: its format; for a table, the separators, the roles of its columns, and why.

    Raises as `detect`, and as the reader of tables for one that it refuses.
    """
    for source in map(Path, sources):
        name = format or detect(source, columns=options.columns)
        why = (
            "as asked for"
            if format
            else "its columns are named"
            if options.columns
            else "its content shows it"
        )
        yield f"{source}: {name} ({why})"
        planned = plan_table(SourceFile(source, options)) if name == "table" else None
        yield from (f"  {line}" for line in (planned[0].explained() if planned else ()))


def source_record(path: Path, *, format: str) -> dict[str, Any]:
    """What a manifest says of a source: name, format, size and digest.

    For a directory the size is the number of its files, and the digest is of their names and sizes. What is no file, such as
    a pipe, has neither.
    """
    record: dict[str, Any] = {"path": path.name or str(path.resolve().name), "format": format}
    if path.is_dir():
        files = sorted(files_below(path, named=lambda name: True))
        listing = "\n".join(f"{file.relative_to(path)}\t{file.stat().st_size}" for file in files)
        return {**record, "files": len(files), "digest": artifact.digest(listing)}
    file = on_disk(path)
    if file.is_file():
        return {**record, "bytes": file.stat().st_size, "digest": artifact.digest(file)}
    return record
