"""Getting what SQLite has committed onto the disk, one sync for all who wait for one."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from linnet.errors import StoreError

__all__ = ["Durable"]

_SYNC = getattr(os, "fdatasync", os.fsync)


class Durable:
    """Syncs the write-ahead log of a database whose connections leave that to it (`synchronous=NORMAL`).

    With `synchronous=FULL` SQLite syncs at every commit while it keeps all other writers out, so that a slow disk makes them
    queue. Here a writer lets the next one in as soon as its commit is in the log, and waits for a sync that began after that; as
    many as have committed by then share it. What SQLite needs in that mode to survive a power cut is the same as with FULL: a log
    whose frames are on disk up to the last commit that anybody was told of. The rest (syncs of the log's header and around a
    checkpoint) it does itself in both modes. See sqlite.org/wal.html, "Performance Considerations".
    """

    def __init__(self, database: Path) -> None:
        self._log = database.with_name(database.name + "-wal")
        self._counting = threading.Lock()
        self._syncing = threading.Lock()
        self._asked = self._done = 0

    def sync(self) -> None:
        """Return when all that this thread has committed is on disk. Raises StoreError where the disk refuses."""
        with self._counting:
            self._asked += 1
            mine = self._asked
        with self._syncing:
            if self._done >= mine:
                return  # a sync that began after this thread's commit has ended
            with self._counting:
                latest = self._asked
            try:
                # Opened anew each time: SQLite may have replaced the file. It locks the database, never the log.
                log = os.open(self._log, os.O_RDWR)
                try:
                    _SYNC(log)
                finally:
                    os.close(log)
            except FileNotFoundError:
                pass  # the last connection has written it into the database and removed it
            except OSError as error:
                raise StoreError(
                    f"What was changed may not be on disk: syncing {self._log} failed ({error}). Check the disk."
                ) from error
            self._done = latest
