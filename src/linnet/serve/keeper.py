"""Holds the snapshot that is served, notices when its directories are replaced, and swaps in the new one when it is whole."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from linnet.errors import LinnetError
from linnet.serve.memory import give_back
from linnet.serve.settings import Settings
from linnet.serve.snapshot import Marks, Snapshot, marks_of, open_snapshot
from linnet.terminology.store import MANIFEST

__all__ = ["Fault", "Keeper"]

_LOG = logging.getLogger("linnet.serve")
_SWEPT = 10.0  # seconds after a swap when requests that had the snapshot before are surely over
_HUNG = 30.0  # seconds after which a look at the directories counts as hanging


@dataclass(frozen=True, slots=True)
class Fault:
    """Something is wrong; what is served is still right. `since` in seconds of the epoch."""

    code: str
    message: str
    since: float


class Keeper:
    """The snapshot that is served, and a thread that looks after it.

    first    whether this process writes search indexes that are missing; of several, one does
    swapped  called with each snapshot, the first one included
    reloaded called with "done" or "failed" when something was replaced
    """

    def __init__(
        self,
        settings: Settings,
        *,
        first: bool = True,
        swapped: Callable[[Snapshot], None] = lambda snapshot: None,
        reloaded: Callable[[str], None] = lambda outcome: None,
    ) -> None:
        self._settings, self._first = settings, first
        self._swapped, self._reloaded = swapped, reloaded
        self.current = open_snapshot(settings, search=first)
        self._faults: dict[str, Fault] = {}
        self._refused: Marks | None = None
        self._sweep: float | None = None
        self._looking: float | None = None
        self._asked, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="linnet-keeper")
        self._note_search(self.current)
        swapped(self.current)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more; an opening that is going on is left to itself."""
        self._ending.set()
        self._asked.set()

    def reload(self) -> None:
        """Open everything again soon, whether or not it seems changed. Returns at once; may be called by a signal handler."""
        self._asked.set()

    def faults(self) -> list[Fault]:
        """What is wrong now."""
        found = list(self._faults.values())
        began = self._looking
        if began is not None and time.monotonic() - began > _HUNG:
            message = (
                "The directory of the terminology does not answer. What is in memory is served; "
                "check the disk or the network it is on."
            )
            found.append(Fault("store_hangs", message, time.time() - (time.monotonic() - began)))
        return found

    def _watch(self) -> None:
        while not self._ending.is_set():
            asked = self._asked.wait(self._settings.poll)
            if self._ending.is_set():
                return
            self._asked.clear()
            try:
                self.look(again=asked)
            except Exception as error:
                _LOG.exception("looking at the terminologies failed")
                self._note("look_failed", f"Looking at the terminologies failed: {type(error).__name__}.")

    def look(self, *, again: bool = False) -> None:
        """See whether something was replaced, and if so serve that. again: open it even if nothing was."""
        self._looking = time.monotonic()
        if self._sweep is not None and self._looking > self._sweep:
            self._sweep = None
            give_back()
        try:
            marks = self._marks()
        finally:
            self._looking = None
        missing = [path for path in self._settings.terminologies if marks[str(path / MANIFEST)] is None]
        if missing:
            self._note(
                "store_missing",
                f"{missing[0]} is not there any more. What was opened is served on; put it back, or build it again.",
            )
            return
        self._clear("store_missing")
        if marks == self.current.marks and not again:
            # What could not be opened is gone again.
            self._refused = None
            self._clear("reload_failed")
            return
        if marks == self._refused and not again:
            return
        self._refused = marks
        self._open()

    def _open(self) -> None:
        began = time.monotonic()
        try:
            found = open_snapshot(self._settings, search=self._first)
        except LinnetError as error:
            self._note("reload_failed", f"The new terminology is not used, the one before is: {error}")
            self._reloaded("failed")
            return
        except Exception as error:
            _LOG.exception("a new terminology could not be opened")
            said = f"{type(error).__name__}; the log says more"
            self._note("reload_failed", f"The new terminology is not used, the one before is: {said}.")
            self._reloaded("failed")
            return
        if not self._first and None in found.searches and None not in self.current.searches:
            # The first process is writing the search index; it shows as a change when it is there.
            _LOG.info("waiting for the search index of the new terminology")
            return
        before, self.current = self.current, found
        self._refused = None
        self._clear("reload_failed")
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
            self._note(
                "search_missing",
                f"{without[0]} has no search index, and it cannot be written: concepts cannot be searched. "
                f"Run: linnet terminology search {without[0]} --rebuild",
            )
        else:
            self._clear("search_missing")

    def _note(self, code: str, message: str) -> None:
        known = self._faults.get(code)
        if known is None or known.message != message:
            _LOG.warning("%s: %s", code, message)
            self._faults = self._faults | {code: Fault(code, message, known.since if known else time.time())}

    def _clear(self, code: str) -> None:
        if code in self._faults:
            _LOG.info("%s: over", code)
            self._faults = {name: fault for name, fault in self._faults.items() if name != code}
