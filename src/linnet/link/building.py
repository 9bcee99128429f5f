"""From source files to a terminology that is ready to link: compiled and indexed in one call."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

from linnet.encode.load import load_encoder
from linnet.encode.two_tower import is_two_tower, load_two_towers
from linnet.errors import DataError, LinnetError, RequestError, StoreError, UnknownNameError
from linnet.link.default_pipeline import kept_pipeline
from linnet.link.indexing import check_request, index_terminology
from linnet.plural import counted
from linnet.terminology import Terminology
from linnet.terminology.build import SourceOptions, build_terminology, read_options
from linnet.terminology.store import MANIFEST

__all__ = ["BuildOptions", "build"]

_LOG = logging.getLogger("linnet.terminology")
# The library advises options of the command line: their names and values become keyword arguments.
_NAMES = {"types": "concept_types", "sources": "vocabularies", "retriever": "retrievers"}
_LISTS = ("concept_types", "prefixes", "vocabularies", "languages", "retrievers")
_FLAGS = ("standard", "suppressed", "permuted")
# A whole command, which stays; an option with columns; any other with its value.
_OPTION = re.compile(
    r"\b(?:linnet [a-z]|robot convert).*|--columns((?: \w+=[\w{}]+)+)|--([a-z]+(?:-[a-z]+)*)(?: ('[^']*'|[\w,]+\b|,))?"
)


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
    """What `linnet.build` does, with its options as a mapping. Errors advise keyword arguments."""
    try:
        return _build(sources, out, given)
    except LinnetError as error:
        error.message = _in_python(error.message)
        raise


def _build(sources: str | Path | Sequence[str | Path], out: str | Path, given: BuildOptions) -> Terminology:
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
        options=read_options({"report": skipped.append, "notice": _tell, **options}),
        pipeline=kept_pipeline(Path(out)),
    )
    if skipped:
        _LOG.warning("Skipped %s; the first: %s", counted(len(skipped), "malformed rows"), skipped[0])
    index_terminology(terminology, **indexing)
    return Terminology.open(out)


def _tell(message: str) -> None:
    _LOG.warning("%s", _in_python(message))


def _in_python(message: str) -> str:
    return re.sub(r"(?<=['\]}]) (?=[a-z_]+=['\[{])", ", ", _OPTION.sub(_keyword, message))


def _keyword(match: re.Match[str]) -> str:
    columns, option, value = match.groups()
    if columns:
        pairs = [pair.split("=") for pair in columns.split()]
        roles = {role: [column for name, column in pairs if name == role] for role, _ in pairs}
        return f"columns={ {role: named if named[1:] else named[0] for role, named in roles.items()} }"
    if option is None:
        return match[0]
    name = _NAMES.get(option, option.replace("-", "_"))
    if name in _FLAGS or value is None:
        return f"{name}=True{match[0].removeprefix(f'--{option}')}" if name in _FLAGS else name
    return f"{name}={value.split(',') if name in _LISTS else value.strip(chr(39))!r}"
