"""Snapshots: the terminologies, indexes and models that are served, opened at one moment, and their digests."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from linnet import __version__
from linnet.encode.model import MANIFEST as MODEL
from linnet.errors import DamagedError, LinnetError, StoreError
from linnet.io import artifact
from linnet.io.file_stamps import Stamp, stamp_of
from linnet.link import Linker
from linnet.link.identity import identity, models_of
from linnet.link.learned import MANIFEST as LEARNED
from linnet.serve.settings import Settings
from linnet.terminology import Terminology
from linnet.terminology.overrides import FILE as OVERRIDES
from linnet.terminology.search import SearchIndex
from linnet.terminology.store import MANIFEST

__all__ = ["Snapshot", "Stamps", "open_snapshot", "stamps_of"]

_TRIES = 20
_PAUSE = 0.25  # seconds between them: a directory is missing for a moment while it is replaced

# Path of each file that describes a store or model → its stamp, None if it is missing.
Stamps = dict[str, Stamp | None]


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Opened once, never changed. A request keeps the snapshot it began with.

    searches  search index of each terminology; None if it is missing and cannot be written
    digest    of all that answers depend on
    served    digests of terminologies and models, JSON-ready
    stamps    of the files that were opened
    """

    linker: Linker
    searches: tuple[SearchIndex | None, ...]
    digest: str
    served: dict[str, Any]
    stamps: Stamps

    @property
    def terminologies(self) -> list[Terminology]:
        """In order of precedence."""
        return self.linker.terminologies

    def headers(self) -> list[tuple[bytes, bytes]]:
        """The headers of every answer."""
        digests = ", ".join(terminology["digest"] for terminology in self.served["terminologies"])
        models = ", ".join(f"{role}={model['digest']}" for role, model in self.served["models"].items())
        return [
            (b"linnet-snapshot", self.digest.encode()),
            (b"linnet-terminology", digests.encode()),
            (b"linnet-models", models.encode()),
        ]


def stamps_of(settings: Settings, linker: Linker | None = None) -> Stamps:
    """Stamps that change when a terminology, its indexes or overrides, what was learnt, or a model of the linker is replaced."""
    files = []
    for path in settings.terminologies:
        files += [path / MANIFEST, path / OVERRIDES, *sorted(path.glob("index/*/index.json"))]
    if settings.opening.overrides is not None:
        files.append(Path(settings.opening.overrides))
    if settings.opening.learned is not None:
        files.append(Path(settings.opening.learned) / LEARNED)
    if linker is not None:
        pipeline = linker.pipeline
        models = (pipeline.encoder, pipeline.reranker, pipeline.recogniser, pipeline.calibrator)
        # A name that is no directory is a shipped model's, which is not replaced.
        files += [Path(model) / MODEL for model in models if model is not None and Path(model).is_dir()]
    return {str(file): stamp_of(file) for file in files}


def open_snapshot(settings: Settings, *, search: bool = True) -> Snapshot:
    """Open all that the settings name, so that nothing is read from the directories later.

    search  build missing search indexes if they can be written

    Opens a directory again that is replaced meanwhile. Raises StoreError and its kin, RequestError and
    UnknownNameError where something cannot be used.
    """
    for attempt in range(_TRIES):
        stamps = stamps_of(settings)
        try:
            snapshot = _open(settings, stamps, search=search)
        except (LinnetError, OSError, ValueError) as error:
            if attempt + 1 < _TRIES and stamps_of(settings) != stamps:
                time.sleep(_PAUSE)
                continue
            if isinstance(error, LinnetError):
                raise
            raise DamagedError(
                f"{settings.terminologies[0]} cannot be opened: {error}. Build it again."
            ) from error
        if stamps_of(settings, snapshot.linker) == snapshot.stamps:
            return snapshot
        time.sleep(_PAUSE)
    raise StoreError(
        f"{settings.terminologies[0]} was replaced {_TRIES} times while it was being opened. Start again when it is done."
    )


def _open(settings: Settings, stamps: Stamps, *, search: bool) -> Snapshot:
    """stamps: taken before. They do not match a search index that is written here, so all is opened once more."""
    linker = settings.opening.open()
    searches = tuple(_open_search(terminology, build=search) for terminology in linker.terminologies)
    stamps = stamps_of(settings, linker) | stamps
    _warm(linker, searches)
    served = {
        "linnet": __version__,
        "terminologies": [
            {"name": each.path.resolve().name, "digest": each.digest, "concepts": len(each)}
            for each in linker.terminologies
        ],
        "models": models_of(linker),
    }
    restrictions = replace(
        settings.opening, terminologies=(), changes={}, threads=None, learned=None, overrides=None
    )
    decisive = [served, identity(linker), asdict(restrictions)]
    digest = artifact.digest(json.dumps(decisive, sort_keys=True))
    return Snapshot(linker, searches, digest, {"snapshot": digest, **served}, stamps)


def _open_search(terminology: Terminology, *, build: bool) -> SearchIndex | None:
    try:
        return SearchIndex.open(terminology, build=build)
    except StoreError:
        return None


def _warm(linker: Linker, searches: Sequence[SearchIndex | None]) -> None:
    """Read what would be read at first use, when the directory may have been replaced."""
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
