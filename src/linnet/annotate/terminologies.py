"""The compiled terminologies that projects may use, opened once and shared by all requests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from linnet.annotate.refusals import Invalid, Unavailable
from linnet.errors import LinnetError
from linnet.stamps import Stamp, stamp_of
from linnet.terminology import Terminology
from linnet.terminology.search import SearchIndex
from linnet.terminology.store import MANIFEST

__all__ = ["STARTER", "Terminologies"]

STARTER = "starter"
_NAMES = 50_000  # kept of each terminology


class Terminologies:
    """Terminologies by name: the packaged starter, folders that were named, and those in `data/terminologies/`."""

    def __init__(self, data: Path, named: Sequence[Path] = ()) -> None:
        self._folder = data / "terminologies"
        self._named = {path.resolve().name: path for path in named}
        self._open: dict[str, Terminology] = {}
        self._names: dict[str, dict[str, str]] = {}  # by digest
        self._stamps: dict[str, Stamp | None] = {}
        self._search: dict[str, SearchIndex] = {}
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """What there is to choose from: the named ones first, the starter last."""
        found = sorted(path.parent.name for path in self._folder.glob(f"*/{MANIFEST}"))
        return list(dict.fromkeys([*self._named, *found, STARTER]))

    def open(self, name: str) -> Terminology:
        """A terminology by name. Raises Invalid for one that is not there, StoreError for one that cannot be used."""
        with self._lock:
            kept = self._open.get(name)
            if kept is not None and (stamp := stamp_of(kept.path / MANIFEST)):
                if stamp == self._stamps[name]:
                    return kept
                if _is(kept):  # only touched
                    self._stamps[name] = stamp
                    return kept
            place = self._place(name)
            self._stamps[name] = stamp_of(place / MANIFEST)  # before it is read: what comes later is noticed
            kept = self._open[name] = Terminology.open(place)
            self._search.pop(name, None)
            return kept

    def search(self, name: str) -> SearchIndex:
        """Its search index. Raises Unavailable where it has not been built."""
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
        """Preferred names by id in a terminology, "" for what it does not have; those asked for lately are kept."""
        terminology = self.try_open(name)
        if terminology is None:
            return lambda id: ""
        known = self._names.setdefault(terminology.digest, {})

        def find(id: str) -> str:
            found = known.get(id)
            if found is None:
                row = terminology.row(id)
                found = known[id] = terminology.name(row) if row >= 0 else ""
                if len(known) > _NAMES:
                    known.clear()
            return found

        return find

    def try_open(self, name: str) -> Terminology | None:
        """A terminology, or None where it cannot be used now."""
        try:
            return self.open(name)
        except LinnetError:
            return None

    def _place(self, name: str) -> Path:
        if name not in self.names():
            raise Invalid(
                f"There is no terminology '{name}'. Choose from: {', '.join(self.names())}. Start the server with "
                "--terminology DIR to add one.",
                fields={"terminology": "unknown"},
            )
        if name in self._named:
            return self._named[name]
        if name == STARTER and not (self._folder / STARTER).is_dir():
            from linnet.link.starting import starter_terminology

            return starter_terminology()
        return self._folder / name


def _is(terminology: Terminology) -> bool:
    """Whether it is still the one on disk."""
    try:
        text = (terminology.path / MANIFEST).read_text(encoding="utf-8")
    except OSError:
        return False
    return f'"{terminology.digest}"' in text
