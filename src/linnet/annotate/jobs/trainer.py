"""The trainer: a process that does one job after the other and ends when the server that started it does.

Its settings come as the first line of standard input, which the server then keeps open: when it closes, the server has
died, however that happened, and what the trainer was doing waits for the next one.
"""

from __future__ import annotations

import logging
import os
import sys
import threading

from huey.consumer import Consumer

from linnet.annotate.jobs.board import recover
from linnet.annotate.jobs.queue import open_queue
from linnet.annotate.jobs.work import Worker
from linnet.annotate.settings import Settings
from linnet.annotate.store import open_database

__all__ = ["main"]


def main() -> None:
    """Run until the server ends."""
    logging.basicConfig(level=logging.WARNING, format="linnet trainer: %(message)s")
    if hasattr(os, "nice"):
        os.nice(10)  # whoever annotates comes first
    settings = Settings.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_server, daemon=True).start()
    database = open_database(settings.database_url, upgrade=False)
    queue, put = open_queue(settings.data, Worker(settings, database).work)
    # What an earlier trainer left on the queue is in the table, too.
    queue.flush()
    for job in recover(database):
        put(job)
    Consumer(queue, workers=1, periodic=False, initial_delay=0.05, max_delay=0.5, scheduler_interval=60).run()


def _end_with_server() -> None:
    while sys.stdin.read(1):
        pass
    # At once, in the middle of whatever is being done: every transaction is whole, every file a draft until renamed.
    os._exit(0)


if __name__ == "__main__":
    main()
