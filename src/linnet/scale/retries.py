"""How often a part was begun: what ends its worker (most often the system, short of memory) is not tried for ever."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from linnet import artifact
from linnet.errors import RequestError
from linnet.scale.journal import PLACE

__all__ = ["MOST", "attempt", "forgive"]

MOST = 4
# A run that goes on tries a part that was begun before in quarters of the usual batches, and twice more.
_KEPT = 2


@contextmanager
def attempt(output: Path, name: str) -> Iterator[int]:
    """How many attempts at the part ended without a word; this one is noted, with host and process, until it ends.

    Raises RequestError after `MOST` of them.
    """
    file = output / PLACE / "attempts" / artifact.digest(name)
    before, place = _read(file)
    if before >= MOST:
        raise RequestError(
            f"Part {name} ended the process that linked it {before} times, the last time on {place}: most often the machine "
            "is short of memory (see its system log). Link with fewer --jobs, or on a larger machine: --resume goes on."
        )
    file.write_text(f"{before + 1} {socket.gethostname()} {os.getpid()}")
    try:
        yield before
    finally:
        file.unlink(missing_ok=True)


def forgive(output: Path) -> None:
    """At the start of a run: of attempts in earlier runs, which a person may have ended, at most two count."""
    for file in (output / PLACE / "attempts").iterdir():
        before, place = _read(file)
        file.write_text(f"{min(_KEPT, before)} {place}")


def _read(file: Path) -> tuple[int, str]:
    """Attempts, and the host and process of the last one; a file that was cut off counts as one."""
    if not file.is_file():
        return 0, ""
    number, _, place = file.read_text().partition(" ")
    return int(number or 1), place
