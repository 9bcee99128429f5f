"""What is served: terminologies, indexes and models as they were at one moment, and the digests that every answer carries."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from linnet import __version__, artifact
from linnet.encode.model import MANIFEST as MODEL
from linnet.errors import DamagedError, LinnetError, StoreError
from linnet.link import Linker
from linnet.link.identity import identity
from linnet.link.models import models_of
from linnet.serve.settings import Settings
from linnet.stamps import stamp_of
from linnet.terminology import Terminology
from linnet.terminology.overrides import FILE as OVERRIDES
from linnet.terminology.search import SearchIndex
from linnet.terminology.store import MANIFEST

__all__ = ["Marks", "Snapshot", "marks_of", "open_snapshot"]

_TRIES = 20
_PAUSE = 0.25  # seconds between them: a directory is not there while another takes its place

# Path → inode, time of change and size of each file that says what a store holds; None for one that is not there.
Marks = dict[str, tuple[int, int, int] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Opened once, never changed. A request keeps the one it began with.

    searches  of each terminology, None where it has no search index and none could be written
    digest    of all that answers depend on
    served    digests of terminologies and models, JSON-ready
    marks     of the files that were opened
    """

    linker: Linker
    searches: tuple[SearchIndex | None, ...]
    digest: str
    served: dict[str, Any]
    marks: Marks

    @property
    def terminologies(self) -> list[Terminology]:
        """In order of precedence."""
        return self.linker.terminologies

    def headers(self) -> list[tuple[bytes, bytes]]:
        """Of every answer."""
        digests = ", ".join(one["digest"] for one in self.served["terminologies"])
        models = ", ".join(f"{role}={one['digest']}" for role, one in self.served["models"].items())
        return [
            (b"linnet-snapshot", self.digest.encode()),
            (b"linnet-terminology", digests.encode()),
            (b"linnet-models", models.encode()),
        ]


def marks_of(terminologies: Sequence[Path], models: Iterable[str | None] = ()) -> Marks:
    """What tells, by looking at directories alone, that something was replaced.

    models  names and directories; names of shipped ones do not matter
    """
    files = []
    for path in terminologies:
        files += [path / MANIFEST, path / OVERRIDES, *sorted(path.glob("index/*/index.json"))]
    files += [Path(model) / MODEL for model in models if model is not None and Path(model).is_dir()]
    return {str(file): stamp_of(file) for file in files}


def open_snapshot(settings: Settings, *, search: bool = True) -> Snapshot:
    """Open what the settings name, all of it, so that nothing is read from the directories later.

    search  build the search index of a terminology that has none, if it can be written

    A directory that is replaced meanwhile is opened again. Raises StoreError and its kin, RequestError and
    UnknownNameError where something cannot be used; the message says what to run.
    """
    for attempt in range(_TRIES):
        before = _marks(settings, None)
        try:
            found = _open(settings, before, search=search)
        except (LinnetError, OSError, ValueError) as error:
            if attempt + 1 < _TRIES and _marks(settings, None) != before:
                time.sleep(_PAUSE)
                continue
            if isinstance(error, LinnetError):
                raise
            raise DamagedError(
                f"{settings.terminologies[0]} cannot be opened: {error}. Build it again."
            ) from error
        if _marks(settings, found.linker) == found.marks:
            return found
        time.sleep(_PAUSE)
    raise StoreError(
        f"{settings.terminologies[0]} was replaced {_TRIES} times while it was being opened. Start again when it is done."
    )


def _open(settings: Settings, marks: Marks, *, search: bool) -> Snapshot:
    """marks  taken before; a search index that is written here differs from them, and all is opened once more"""
    linker = settings.opening.open()
    opened = linker.terminologies
    searches = tuple(_search(terminology, build=search) for terminology in opened)
    marks = _marks(settings, linker) | marks
    _warm(linker, searches)
    served = {
        "linnet": __version__,
        "terminologies": [
            {"name": one.path.resolve().name, "digest": one.digest, "concepts": len(one)} for one in opened
        ],
        "models": models_of(linker),
    }
    restrictions = replace(settings.opening, terminologies=(), changes={}, threads=None)
    deciding = [served, identity(linker), asdict(restrictions)]
    digest = artifact.digest(json.dumps(deciding, sort_keys=True))
    return Snapshot(linker, searches, digest, {"snapshot": digest, **served}, marks)


def _marks(settings: Settings, linker: Linker | None) -> Marks:
    if linker is None:
        return marks_of(settings.terminologies)
    pipeline = linker.pipeline
    models = (pipeline.encoder, pipeline.reranker, pipeline.recogniser, pipeline.calibrator)
    return marks_of(settings.terminologies, models)


def _search(terminology: Terminology, *, build: bool) -> SearchIndex | None:
    try:
        return SearchIndex.open(terminology, build=build)
    except StoreError:
        return None


def _warm(linker: Linker, searches: Sequence[SearchIndex | None]) -> None:
    """Read what is otherwise read when it is first needed, when another directory may lie in its place."""
    for terminology in linker.terminologies:
        terminology.resolve("\0")
        if len(terminology):
            terminology.concept(0)
            terminology.children(0)
            _ = terminology.preferred
    names = [terminology.names[0] for terminology in linker.terminologies if len(terminology.names)]
    text = " and ".join(["a warm-up", *names])
    linker.link([text, *names])
    linker.annotate(text)
    for search in searches:
        if search is not None:
            search.search("warm up", k=1)
