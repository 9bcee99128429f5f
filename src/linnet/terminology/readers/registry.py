"""All terminology formats, and one call that reads any of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from linnet.advice import Step
from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.formats import formats
from linnet.io.files import exists
from linnet.plural import counted
from linnet.registry import imported
from linnet.terminology.readers.detect import detect
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.terminology.readers.permuted import add_natural_order
from linnet.terminology.readers.suspect_names import SuspectNames
from linnet.types import Concept

__all__ = ["read", "readers"]


# `read` applies these to every format.
_COMMON = frozenset({"only_prefixes", "type", "on_error", "report", "notice"})

readers = formats("terminology")
"""Name → format."""


def read(
    path: str | Path, *, format: str | None = None, options: ReadOptions = DEFAULTS
) -> Iterator[Concept]:
    """The concepts of a file or directory, in the order of its reader; read lazily.

    format  a name in `readers`; None: detected from the content (`detect`)

    Concepts filtered out by `types` or `only_prefixes` are dropped; ids that they replaced then resolve to nothing.
    Raises UnknownNameError for an unknown format, RequestError immediately for an option that the format cannot
    honour, DataError if the file is refused or holds no concept that the filters keep.
    """
    path = Path(path)
    name = detect(path, columns=options.columns) if format is None else format
    if name not in readers:
        raise UnknownNameError("terminology format", name, readers)
    unsupported = options.changed() - readers[name].honours - _COMMON
    if unsupported:
        option = min(unsupported)
        formats = sorted(other for other, candidate in readers.items() if option in candidate.honours)
        raise RequestError(
            f"Format '{name}' does not support the option '{option}'. Leave it out; it is for: {', '.join(formats)}."
        )
    if str(path) != "-" and not exists(path):
        raise DataError("no such file or directory. Check the path.", path=path)
    concepts: Iterator[Concept] = imported(readers[name].reader)(path, options)
    return _kept(concepts, name, path, options)


def _kept(concepts: Iterator[Concept], format: str, path: Path, options: ReadOptions) -> Iterator[Concept]:
    types = {type.casefold() for type in options.types or ()}
    prefixes = {prefix.rstrip(":").casefold() for prefix in options.only_prefixes or ()}
    seen = kept = 0
    suspects = SuspectNames()
    for concept in concepts:
        seen += 1
        if prefixes and concept.id.partition(":")[0].casefold() not in prefixes:
            continue
        if concept.name or not concept.replaced_by:
            if types and types.isdisjoint(type.casefold() for type in concept.types):
                continue
            if options.type:
                concept = replace(concept, types=(options.type,))
            if options.permuted:
                concept = add_natural_order(concept)
        kept += 1
        suspects.add(concept)
        yield concept
    if not kept:
        count = counted(seen, "concepts")
        result = f"{count}, none of which the filters keep. Loosen them" if seen else "no concept"
        raise DataError(f"{result}; read as '{format}'.", Step.READ_OTHERWISE(format="NAME"), path=path)
    for note in suspects.notes():
        SourceFile(path, options).tell(note)
