"""Counted attempts at a chunk, so that one whose workers die (mostly for lack of memory) is not tried for ever."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.io import artifact
from linnet.scale.journal import FOLDER

__all__ = ["MAX_ATTEMPTS", "cap_attempts", "counted_attempt"]

MAX_ATTEMPTS = 4
# A resumed run tries such a chunk twice more, in quarters of the usual batches.
_CARRIED_OVER = 2


@contextmanager
def counted_attempt(output: Path, name: str) -> Iterator[int]:
    """The number of earlier attempts that died. This attempt is recorded, with host and process, until the block ends.

    Raises RequestError after `MAX_ATTEMPTS`.
    """
    file = output / FOLDER / "attempts" / artifact.digest(name)
    earlier, place = _read(file)
    if earlier >= MAX_ATTEMPTS:
        raise RequestError(
            f"{name}: the process that linked this chunk died {earlier} times, the last time on {place}. Usually the machine "
            "is short of memory (see its system log).",
            Step.FEWER_JOBS(),
        )
    file.write_text(f"{earlier + 1} {socket.gethostname()} {os.getpid()}")
    try:
        yield earlier
    finally:
        file.unlink(missing_ok=True)


def cap_attempts(output: Path) -> None:
    """At the start of a run: earlier runs' attempts, which a person may have ended, count as two at most."""
    for file in (output / FOLDER / "attempts").iterdir():
        earlier, place = _read(file)
        file.write_text(f"{min(_CARRIED_OVER, earlier)} {place}")


def _read(file: Path) -> tuple[int, str]:
    """The number of attempts, and host and process of the last; a truncated file counts as one."""
    if not file.is_file():
        return 0, ""
    number, _, place = file.read_text().partition(" ")
    return int(number or 1), place
