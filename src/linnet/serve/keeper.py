"""Holds the snapshot that is served, notices when its directories are replaced, and swaps in the new one when it is whole."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from linnet.errors import LinnetError
from linnet.serve.faults import Faults
from linnet.serve.memory import give_back
from linnet.serve.settings import Settings
from linnet.serve.snapshot import Marks, Snapshot, marks_of, open_snapshot
from linnet.terminology.store import MANIFEST

__all__ = ["Keeper"]

_LOG = logging.getLogger("linnet.serve")
_SWEPT = 10.0  # seconds after a swap when requests that had the snapshot before are surely over
_HUNG = 30.0  # seconds after which a look at the directories counts as hanging
_AGAIN = (
    60.0  # seconds after which what could not be opened is tried again: memory or a disk may have been short
)


class Keeper:
    """The snapshot that is served. `look` is called over and over, by one thread.

    writes_indexes  whether missing search indexes are written: by one process of several
    swapped  called with each snapshot, the first one included
    reloaded called with "done" or "failed" when something was replaced
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
        self._refused: Marks | None = None
        self._retry = 0.0  # when what was refused is tried again
        self._waited: Marks | None = None
        self._sweep: float | None = None
        self._looking: float | None = None
        self._note_search(self.current)
        swapped(self.current)

    def check(self) -> None:
        """Note as a fault that a look does not come to its end. Called by another thread than looks."""
        began = self._looking
        if began is not None and time.monotonic() - began > _HUNG:
            self._faults.note(
                "store_hangs",
                "The directory of the terminology does not answer. What is in memory is served; "
                "check the disk or the network it is on.",
            )

    def look(self, again: bool = False) -> None:
        """See whether something was replaced, and if so serve that. again: open it even if nothing was."""
        self._looking = time.monotonic()
        if self._sweep is not None and self._looking > self._sweep:
            self._sweep = None
            give_back()
        try:
            marks = self._marks()
        finally:
            self._looking = None
            self._faults.clear("store_hangs")
        missing = [path for path in self._settings.terminologies if marks[str(path / MANIFEST)] is None]
        if missing:
            self._faults.note(
                "store_missing",
                f"{missing[0]} is not there any more. What was opened is served on; put it back, or build it again.",
            )
            return
        self._faults.clear("store_missing")
        if marks == self.current.marks and not again:
            # What could not be opened is gone again.
            self._refused = None
            self._faults.clear("reload_failed")
            return
        if marks == self._refused and not again and time.monotonic() < self._retry:
            return
        self._refused, self._retry = marks, time.monotonic() + _AGAIN
        self._open()

    def _open(self) -> None:
        began = time.monotonic()
        try:
            found = open_snapshot(self._settings, search=self._writes_indexes)
        except LinnetError as error:
            self._faults.note("reload_failed", f"The new terminology is not used, the one before is: {error}")
            self._reloaded("failed")
            return
        except Exception as error:
            _LOG.exception("a new terminology could not be opened")
            said = f"{type(error).__name__}; the log says more"
            self._faults.note("reload_failed", f"The new terminology is not used, the one before is: {said}.")
            self._reloaded("failed")
            return
        without = None in found.searches and None not in self.current.searches
        if without and not self._writes_indexes and self._waited != self._refused:
            # The first process is writing the search index; it shows as a change when it is there. If it is not by
            # the next try, it cannot be written.
            _LOG.info("waiting for the search index of the new terminology")
            self._waited = self._refused
            return
        before, self.current = self.current, found
        self._refused = None
        self._faults.clear("reload_failed")
        self._note_search(found)
        _LOG.info(
            "serving %s instead of %s, opened in %.1f s",
            found.digest,
            before.digest,
            time.monotonic() - began,
        )
        self._swapped(found)
        self._reloaded("done")
        del before
        # What was mapped for the one before is given back now, or once no request has it any more.
        give_back()
        self._sweep = time.monotonic() + _SWEPT

    def _marks(self) -> Marks:
        pipeline = self.current.linker.pipeline
        models = (pipeline.encoder, pipeline.reranker, pipeline.recogniser, pipeline.calibrator)
        return marks_of(self._settings.terminologies, models)

    def _note_search(self, snapshot: Snapshot) -> None:
        without = [
            t.path for t, s in zip(snapshot.terminologies, snapshot.searches, strict=True) if s is None
        ]
        if without:
            self._faults.note(
                "search_missing",
                f"{without[0]} has no search index, and it cannot be written: concepts cannot be searched. "
                f"Run: linnet terminology search {without[0]} --rebuild",
            )
        else:
            self._faults.clear("search_missing")
