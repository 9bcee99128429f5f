"""The trainer: a child process of the server, which does the jobs of the `jobs` table one after the other."""

from __future__ import annotations

import os
import sys
import time

__all__ = ["main"]

_PAUSE = 0.25  # seconds between two looks at the table while no job waits


def main() -> None:
    """Run until the server ends."""
    # Here, so that the processes that share a job, which import this module first, start fast.
    import logging

    from linnet.annotate.domain.learning.job_store import recover
    from linnet.annotate.jobs.worker import Worker
    from linnet.annotate.settings import Settings
    from linnet.annotate.store import open_database
    from linnet.errors import LinnetError
    from linnet.system.child_process import read_settings, report_error, report_started

    logging.basicConfig(level=logging.WARNING, format="linnet trainer: %(message)s")
    if hasattr(os, "nice"):
        os.nice(10)  # annotators come first
    # At once, in the middle of a job: every transaction is whole, every file a draft until it is renamed. The next trainer
    # resumes the job.
    settings = read_settings(Settings, orphaned=lambda: os._exit(0))
    try:
        database = open_database(settings.database_url, upgrade=False)
    except LinnetError as error:
        report_error(error)
        sys.exit(1)
    worker = Worker(settings, database)
    recover(database)
    report_started({})
    while True:
        if not worker.work():
            time.sleep(_PAUSE)


if __name__ == "__main__":
    main()
