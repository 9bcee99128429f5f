"""The reloader: holds the snapshot that is served, and replaces it when its directories have been replaced."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from linnet.advice import Step
from linnet.errors import LinnetError, StoreError
from linnet.http.wording import in_service
from linnet.serve.faults import Faults
from linnet.serve.settings import Settings
from linnet.serve.snapshot import Snapshot, Stamps, open_snapshot, stamps_of
from linnet.system.free_memory import release_memory
from linnet.terminology.store import MANIFEST

__all__ = ["Reloader"]

_LOG = logging.getLogger("linnet.serve")
_REQUESTS_OVER = 10.0  # seconds after a swap when requests with the previous snapshot have surely ended
_HANGING = 30.0  # seconds after which a check of the directories counts as hanging
_RETRY = 60.0  # seconds after which a failed reload is tried again: memory or a disk may have been short


class Reloader:
    """Holds the snapshot that is served. `check` is called over and over, by one thread.

    writes_indexes  whether missing search indexes are written: by one process of several
    swapped         called with each snapshot, the first included
    reloaded        called with "done" or "failed" after something was replaced
    """

    def __init__(
        self,
        settings: Settings,
        *,
        faults: Faults,
        writes_indexes: bool = True,
        swapped: Callable[[Snapshot], None] = lambda snapshot: None,
        reloaded: Callable[[str], None] = lambda outcome: None,
    ) -> None:
        self._settings, self._faults, self._writes_indexes = settings, faults, writes_indexes
        self._swapped, self._reloaded = swapped, reloaded
        self.current = open_snapshot(settings, search=writes_indexes)
        self._rejected: Stamps | None = None
        self._retry = 0.0  # when to try again what was rejected
        self._waited_for: Stamps | None = None
        self._release: float | None = None
        self._checking: float | None = None
        self._note_search(self.current)
        swapped(self.current)

    def note_hanging(self) -> None:
        """Note a fault if a check hangs. Called by other threads than the one that checks."""
        began = self._checking
        if began is not None and time.monotonic() - began > _HANGING:
            self._faults.note(
                "store_hangs",
                "The directory of the terminology does not answer. What is in memory is served; "
                "check the disk or the network it is on.",
            )

    def check(self, force: bool = False) -> None:
        """Serve what has been replaced. force: reopen everything even if nothing was."""
        self._checking = time.monotonic()
        if self._release is not None and self._checking > self._release:
            self._release = None
            release_memory()
        try:
            stamps = stamps_of(self._settings, self.current.linker)
        finally:
            self._checking = None
            self._faults.clear("store_hangs")
        missing = [path for path in self._settings.terminologies if stamps[str(path / MANIFEST)] is None]
        if missing:
            self._faults.note(
                "store_missing",
                f"{missing[0]} is missing. What was opened is served on; put it back, or build it again.",
            )
            return
        self._faults.clear("store_missing")
        if stamps == self.current.stamps and not force:
            # What was rejected is gone.
            self._rejected = None
            self._faults.clear("reload_failed")
            return
        if stamps == self._rejected and not force and time.monotonic() < self._retry:
            return
        self._rejected, self._retry = stamps, time.monotonic() + _RETRY
        self._reload()

    def _reload(self) -> None:
        began = time.monotonic()
        try:
            snapshot = open_snapshot(self._settings, search=self._writes_indexes)
        except Exception as error:
            if isinstance(error, LinnetError):
                reason = in_service(error)
            else:
                _LOG.exception("a new terminology could not be opened")
                reason = f"{type(error).__name__}; the log says more."
            self._faults.note("reload_failed", f"The previous terminology is still served: {reason}")
            self._reloaded("failed")
            return
        search_missing = None in snapshot.searches and None not in self.current.searches
        if search_missing and not self._writes_indexes and self._waited_for != self._rejected:
            # The first process is writing the search index, which then shows as a change. If it is still missing at the
            # next try, it cannot be written.
            _LOG.info("waiting for the search index of the new terminology")
            self._waited_for = self._rejected
            return
        previous, self.current = self.current, snapshot
        self._rejected = None
        self._faults.clear("reload_failed")
        self._note_search(snapshot)
        seconds = time.monotonic() - began
        _LOG.info("serving %s instead of %s, opened in %.1f s", snapshot.digest, previous.digest, seconds)
        self._swapped(snapshot)
        self._reloaded("done")
        del previous
        # Release the memory of the previous snapshot now, and again when no request uses it any more.
        release_memory()
        self._release = time.monotonic() + _REQUESTS_OVER

    def _note_search(self, snapshot: Snapshot) -> None:
        pairs = zip(snapshot.terminologies, snapshot.searches, strict=True)
        missing = [terminology.path for terminology, search in pairs if search is None]
        if missing:
            what = f"{missing[0]} has no search index, and it cannot be written: concepts cannot be searched."
            error = StoreError(what, Step.BUILD_SEARCH(terminology=missing[0]))
            self._faults.note("search_missing", in_service(error))
        else:
            self._faults.clear("search_missing")
