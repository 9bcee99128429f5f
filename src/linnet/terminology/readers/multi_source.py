"""Several sources read as one terminology, including what one says about the concepts of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from linnet.terminology.readers.filter_use import FilterUse
from linnet.terminology.readers.mesh import holds_descriptors
from linnet.terminology.readers.mesh_promotions import Promotions
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.terminology.readers.registry import read
from linnet.types import Concept

__all__ = ["read_several"]

_MESH = "mesh"


def read_several(
    paths: Sequence[str | Path],
    *,
    formats: Sequence[str],
    options: ReadOptions = DEFAULTS,
    each: Callable[[Iterator[Concept], Path], Iterator[Concept]] = lambda reading, path: reading,
) -> Iterator[Concept]:
    """The concepts of several sources in the order given, except that MeSH files with descriptors precede other MeSH files.

    formats  of each path, a name in `readers`
    each     wraps the concepts of each path, e.g. to show progress

    A supplementary record that another MeSH file has as a descriptor becomes a retired id of it (`Promotions`).
    Raises as `read` does; unsupported options are refused before the first source is read.
    """
    sources = _descriptors_first([(Path(path), name) for path, name in zip(paths, formats, strict=True)])
    readings = [read(path, format=name, options=options) for path, name in sources]
    promotions = Promotions()
    use = FilterUse(options, formats)
    for (path, name), reading in zip(sources, readings, strict=True):
        concepts = use.watch(each(reading, path))
        yield from promotions.retire(concepts) if name == _MESH else concepts
    mesh = [path for path, name in sources if name == _MESH]
    for note in use.notes():
        SourceFile(sources[-1][0], options).tell(note)
    if mesh:
        promotions.report(SourceFile(mesh[-1], options).tell)


def _descriptors_first(sources: list[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """The sources with those of MeSH sorted among their own places; the others keep their places."""
    mesh = [source for source in sources if source[1] == _MESH]
    if len(mesh) < 2:
        return sources
    mesh_sources = iter(sorted(mesh, key=lambda source: not holds_descriptors(source[0])))
    return [next(mesh_sources) if source[1] == _MESH else source for source in sources]
