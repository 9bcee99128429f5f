"""Several sources read as one terminology: what one of them says of the concepts of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from linnet.terminology.readers.mesh import holds_descriptors
from linnet.terminology.readers.options import DEFAULTS, ReadOptions
from linnet.terminology.readers.promoted import Promotions
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
    """The concepts of several sources, in the order given; of MeSH files, those with descriptors come before the others.

    formats  of each path, a name in `readers`
    each     put around the reading of each path: shows progress

    A supplementary record that another MeSH file has as a descriptor becomes an old id of it (`Promotions`).
    Raises what `read` raises for an option that one of the formats cannot honour before the first source is read.
    """
    sources = _descriptors_first([(Path(path), name) for path, name in zip(paths, formats, strict=True)])
    readings = [read(path, format=name, options=options) for path, name in sources]
    promotions = Promotions()
    for (path, name), reading in zip(sources, readings, strict=True):
        concepts = each(reading, path)
        yield from promotions.retire(concepts) if name == _MESH else concepts
    mesh = [path for path, name in sources if name == _MESH]
    if mesh:
        promotions.report(lambda message: options.tell(message, path=mesh[-1]))


def _descriptors_first(sources: list[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """The sources with those of MeSH sorted among the places of MeSH; the others stay where they are."""
    places = [place for place, (_, name) in enumerate(sources) if name == _MESH]
    if len(places) < 2:
        return sources
    sorted_ = sorted(
        (sources[place] for place in places), key=lambda source: not holds_descriptors(source[0])
    )
    ordered = list(sources)
    for place, source in zip(places, sorted_, strict=True):
        ordered[place] = source
    return ordered
