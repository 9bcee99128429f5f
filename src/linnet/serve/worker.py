"""A process of several: `python -m linnet.serve.worker NUMBER SOCKET`, started by the supervisor.

Its settings come through standard input, whose end means that the supervisor is gone. It says "ready" on standard output, or
what is wrong.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading

from linnet.errors import LinnetError
from linnet.serve.handover import READY, heard
from linnet.serve.log import log_to_stderr
from linnet.serve.process import run
from linnet.serve.signals import pass_over_hangups
from linnet.serve.snapshot import Snapshot


def _main(number: int, place: int) -> int:
    pass_over_hangups()
    settings = heard(sys.stdin.readline())
    listening = socket.socket(fileno=place)
    threading.Thread(target=_end_with_supervisor, daemon=True).start()
    log_to_stderr()
    try:
        if run(settings, listening, first=number == 0, started=_say_ready):
            os._exit(0)
    except LinnetError as error:
        _say({"error": str(error)})
        return 1
    return 0


def _say_ready(snapshot: Snapshot) -> None:
    _say({READY: snapshot.served})


def _say(record: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def _end_with_supervisor() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(_main(int(sys.argv[1]), int(sys.argv[2])))
