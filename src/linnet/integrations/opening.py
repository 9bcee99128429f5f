"""A linker from what a user of another library writes: a path or several, and tables of options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from linnet.errors import RequestError, UnknownNameError
from linnet.link import Linker, Pipeline
from linnet.link.opening import Opening
from linnet.link.starting import starter_terminology

__all__ = ["STARTER", "open_linker"]

# Instead of a path: the small packaged terminology. A folder of that name is "./starter".
STARTER = "starter"

_SELECT = ("types", "sources", "allow", "deny")


def open_linker(
    terminology: str | Path | Sequence[str | Path],
    *,
    pipeline: Mapping[str, Any] | None = None,
    concepts: Mapping[str, Any] | None = None,
    threads: int | None = None,
) -> Linker:
    """A linker for one or several compiled terminologies.

    terminology  paths in order of precedence; "starter" is the packaged one
    pipeline     fields of `linnet.link.Pipeline` that differ from what the first terminology's manifest asks for
    concepts     `types`, `sources`, `allow`, `deny`: which concepts may be linked to, see `Terminology.select`
    threads      for retrieval, all cores if None; results do not depend on it

    Raises RequestError without a terminology, UnknownNameError for an option there is not, StoreError and its kin
    where a terminology or index cannot be used.
    """
    paths = [terminology] if isinstance(terminology, str | Path) else list(terminology)
    if not paths or not all(str(path) for path in paths):
        raise RequestError("No terminology to link against. Name a directory that `linnet index` has seen.")
    _known("pipeline option", pipeline or {}, [field.name for field in fields(Pipeline)])
    _known("restriction of concepts", concepts or {}, _SELECT)
    for name, value in (concepts or {}).items():
        if isinstance(value, str):
            raise RequestError(f"'{name}' is a list; got '{value}'. Write: ['{value}']")
    return Opening(
        terminologies=tuple(str(starter_terminology() if path == STARTER else path) for path in paths),
        changes=_tuples(pipeline or {}),
        threads=threads,
        **_tuples(concepts or {}),
    ).open()


def _tuples(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, lists as tuples: configurations know lists only."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}


def _known(kind: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise UnknownNameError(kind, name, known)
