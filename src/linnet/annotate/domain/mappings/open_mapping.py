"""A mapping that is reviewed, as all requests share it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from linnet.annotate.refusals import NotFound
from linnet.link.linker import Linker
from linnet.mapping.browsing import Listing
from linnet.mapping.folder import Folder
from linnet.terminology import Terminology
from linnet.terminology.search import SearchIndex

__all__ = ["OpenMapping"]

Searching = tuple[Linker, list[SearchIndex]]


class OpenMapping:
    """A mapping and its lists for one thread at a time, and its terminologies and linker for all of them.

    name   as people know it
    open   the linker, and an index for searching each terminology; called at first use
    again  opens it once more, where several people use it: reading all of it takes seconds, in which nobody else should wait
    """

    def __init__(
        self,
        mapping: Folder,
        *,
        name: str,
        open: Callable[[], Searching],
        again: Callable[[], Folder] | None = None,
    ) -> None:
        self._mapping, self._open, self._again = mapping, open, again
        self._listing = Listing(mapping)
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._searching: Searching | None = None
        self.name = name
        self.terminologies: list[Terminology] = mapping.terminologies

    @classmethod
    def folder(cls, path: Path) -> Self:
        """Raises StoreError for a folder that is no mapping, or whose terminologies cannot be used."""
        mapping = Folder.open(path)
        config = mapping.config
        indexes = (SearchIndex.open(terminology) for terminology in mapping.terminologies)
        return cls(mapping, name=path.resolve().name, open=lambda: (config.open(), list(indexes)))

    @contextmanager
    def held(self) -> Iterator[tuple[Folder, Listing]]:
        """The mapping, for this thread alone: its store does one thing at a time."""
        with self._lock:
            yield self._mapping, self._listing

    @contextmanager
    def whole(self) -> Iterator[Folder]:
        """The mapping, to read all of it."""
        if self._again is not None:
            yield self._again()
        else:
            with self._lock:
                yield self._mapping

    def searching(self) -> Searching:
        """The linker, and an index for searching each terminology; the first call takes a second or more."""
        with self._opening:
            if self._searching is None:
                self._searching = self._open()
            return self._searching

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
