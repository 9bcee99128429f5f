"""One of several serving processes: `python -m linnet.serve.worker NUMBER SOCKET`, started by the supervisor."""

from __future__ import annotations

import os
import signal
import socket
import sys

from linnet.errors import LinnetError
from linnet.serve.process import run
from linnet.serve.settings import Settings
from linnet.serve.startup import ignore_hangups, log_to_stderr
from linnet.system.child_process import read_settings, report_error, report_started


def _main(number: int, descriptor: int) -> int:
    ignore_hangups()
    settings = read_settings(Settings, orphaned=lambda: os.kill(os.getpid(), signal.SIGTERM))
    log_to_stderr()
    try:
        if run(
            settings,
            socket.socket(fileno=descriptor),
            writes_indexes=number == 0,
            started=lambda snapshot: report_started(snapshot.served),
        ):
            os._exit(0)
    except LinnetError as error:
        report_error(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(int(sys.argv[1]), int(sys.argv[2])))
