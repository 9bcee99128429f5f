"""The mapping that is reviewed, as all requests share it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from linnet.annotate.refusals import NotFound
from linnet.link.linker import Linker
from linnet.mapping import Mapping
from linnet.mapping.browsing import Listing
from linnet.terminology import Terminology
from linnet.terminology.search import SearchIndex

__all__ = ["OpenMapping"]


class OpenMapping:
    """A mapping and its lists for one thread at a time, and its terminologies and linker for all of them.

    Raises StoreError for a folder that is no mapping, or whose terminologies cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._mapping = Mapping.open(path)
        self._listing = Listing(self._mapping)
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._linker: Linker | None = None
        self._indexes: list[SearchIndex] = []
        self._config = self._mapping.config
        self.path = path.resolve()
        self.terminologies: list[Terminology] = self._mapping.terminologies

    @contextmanager
    def held(self) -> Iterator[tuple[Mapping, Listing]]:
        """The mapping, for this thread alone: an SQLite connection does one thing at a time."""
        with self._lock:
            yield self._mapping, self._listing

    def searching(self) -> tuple[Linker, list[SearchIndex]]:
        """The linker, and an index for searching each terminology; opened at first use, which takes a second or more."""
        with self._opening:
            if self._linker is None:
                self._indexes = [SearchIndex.open(terminology) for terminology in self.terminologies]
                self._linker = self._config.open()
            return self._linker, self._indexes

    def terminology_of(self, id: str) -> Terminology:
        """The first terminology that has a concept, or one that replaced it. Raises NotFound."""
        for terminology in self.terminologies:
            if terminology.resolve(id):
                return terminology
        raise NotFound(f"No terminology of the mapping has the concept '{id}'.")

    def close(self) -> None:
        """Close its file."""
        with self._lock:
            self._mapping.close()
