"""Compiled terminologies for projects, opened once and shared by all requests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from linnet.advice import Step
from linnet.annotate.refusals import Invalid, Unavailable
from linnet.errors import LinnetError
from linnet.io.file_stamps import Stamp, stamp_of
from linnet.terminology import Terminology
from linnet.terminology.search import SearchIndex
from linnet.terminology.store import MANIFEST

__all__ = ["STARTER", "Terminologies"]

STARTER = "starter"
_NAMES = 50_000  # cached per terminology


class Terminologies:
    """Terminologies by name: those of `--terminology`, those in `data/terminologies/`, and the starter."""

    def __init__(self, data: Path, named: Sequence[Path] = ()) -> None:
        self._folder = data / "terminologies"
        self._named = {path.resolve().name: path for path in named}
        self._open: dict[str, Terminology] = {}
        self._names: dict[str, dict[str, str]] = {}  # by digest
        self._stamps: dict[str, Stamp | None] = {}
        self._search: dict[str, SearchIndex] = {}
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """All names: those of `--terminology` first, the starter last."""
        in_folder = sorted(path.parent.name for path in self._folder.glob(f"*/{MANIFEST}"))
        return list(dict.fromkeys([*self._named, *in_folder, STARTER]))

    def open(self, name: str) -> Terminology:
        """A terminology by name. Raises Invalid for an unknown name, StoreError if it cannot be used."""
        with self._lock:
            kept = self._open.get(name)
            if kept is not None and (stamp := stamp_of(kept.path / MANIFEST)):
                if stamp == self._stamps[name]:
                    return kept
                if _unchanged(kept):  # only its time stamp changed
                    self._stamps[name] = stamp
                    return kept
            place = self._place(name)
            self._stamps[name] = stamp_of(place / MANIFEST)  # before it is read: what comes later is noticed
            kept = self._open[name] = Terminology.open(place)
            self._search.pop(name, None)
            return kept

    def search(self, name: str) -> SearchIndex:
        """Search index of a terminology. Raises Unavailable until it is built."""
        terminology = self.open(name)
        with self._lock:
            if name not in self._search:
                if not SearchIndex.exists(terminology):
                    raise Unavailable(
                        "The terminology is still being prepared for searching. Try again in a minute."
                    )
                self._search[name] = SearchIndex.open(terminology, build=False)
            return self._search[name]

    def name_of(self, name: str) -> Callable[[str], str]:
        """A cached lookup of preferred names by concept id, "" for unknown ids."""
        terminology = self.try_open(name)
        if terminology is None:
            return lambda id: ""
        known = self._names.setdefault(terminology.digest, {})

        def find(id: str) -> str:
            name = known.get(id)
            if name is None:
                row = terminology.row(id)
                name = known[id] = terminology.name(row) if row >= 0 else ""
                if len(known) > _NAMES:
                    known.clear()
            return name

        return find

    def try_open(self, name: str) -> Terminology | None:
        """A terminology, or None if it cannot be used."""
        try:
            return self.open(name)
        except LinnetError:
            return None

    def _place(self, name: str) -> Path:
        if name not in self.names():
            raise Invalid(
                f"There is no terminology '{name}'. Choose from: {', '.join(self.names())}.",
                Step.SERVE_TERMINOLOGY(),
                fields={"terminology": "unknown"},
            )
        if name in self._named:
            return self._named[name]
        if name == STARTER and not (self._folder / STARTER).is_dir():
            from linnet.link.starter import starter_terminology

            return starter_terminology()
        return self._folder / name


def _unchanged(terminology: Terminology) -> bool:
    """Whether the terminology on disk is still the same."""
    try:
        text = (terminology.path / MANIFEST).read_text(encoding="utf-8")
    except OSError:
        return False
    return f'"{terminology.digest}"' in text
