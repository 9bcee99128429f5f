"""A process of several: `python -m linnet.serve.worker NUMBER SOCKET`, started by the supervisor.

Its settings come through standard input, whose end means that the supervisor is gone. It says "ready" on standard output, or
what is wrong.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import signal
import socket
import sys
import threading

from linnet.errors import LinnetError
from linnet.serve.process import log_to_stderr, run
from linnet.serve.settings import Settings
from linnet.serve.snapshot import Snapshot

__all__ = ["READY", "told"]

READY = "ready"


def told(settings: Settings) -> str:
    """A line for a worker's standard input: from one process of ours to another."""
    return base64.b64encode(pickle.dumps(settings)).decode() + "\n"


def _main(number: int, place: int) -> int:
    # The supervisor says when it is over; Ctrl-C reaches both.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    settings: Settings = pickle.loads(base64.b64decode(sys.stdin.readline()))
    listening = socket.socket(fileno=place)
    threading.Thread(target=_end_with_supervisor, daemon=True).start()
    log_to_stderr()
    try:
        run(settings, listening, first=number == 0, started=_say_ready)
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
