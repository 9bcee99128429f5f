"""The trainer: a process that does the jobs of the `jobs` table one after the other and ends when its server does.

Its settings come as the first line of standard input, which the server then keeps open: when it closes, the server has
died, however that happened, and what the trainer was doing waits for the next one.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time

from linnet.annotate.jobs.job_store import recover
from linnet.annotate.jobs.worker import Worker
from linnet.annotate.settings import Settings
from linnet.annotate.store import open_database

__all__ = ["main"]

_PAUSE = 0.25  # seconds between two looks at the table while no job waits


def main() -> None:
    """Run until the server ends."""
    logging.basicConfig(level=logging.WARNING, format="linnet trainer: %(message)s")
    if hasattr(os, "nice"):
        os.nice(10)  # annotators come first
    settings = Settings.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_server, daemon=True).start()
    database = open_database(settings.database_url, upgrade=False)
    worker = Worker(settings, database)
    recover(database)
    while True:
        if not worker.work():
            time.sleep(_PAUSE)


def _end_with_server() -> None:
    while sys.stdin.read(1):
        pass
    # At once, in the middle of whatever is being done: every transaction is whole, every file a draft until renamed.
    os._exit(0)


if __name__ == "__main__":
    main()
