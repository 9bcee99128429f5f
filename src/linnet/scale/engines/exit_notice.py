"""A process that says so when the program that started it ends without a word of its own.

Ray's library ends the program it is part of, at once and from outside Python, when a process of Ray on the same machine dies
(its agent or raylet: killed by the system for their memory, for example). Nothing can be caught then, so somebody else has to see it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["sudden_end_is_told"]

_WATCH = "import sys; sys.stdin.read() or sys.stderr.write(sys.argv[1] + '\\n')"


@contextmanager
def sudden_end_is_told(message: str) -> Iterator[None]:
    """Let `message` be written to standard error if this program is ended before the block is left, by Ray or by a signal."""
    watch = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WATCH, message],
        stdin=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in the terminal is for the program alone
    )
    try:
        yield
    finally:
        assert watch.stdin is not None
        with suppress(OSError):  # killed itself
            watch.stdin.write(b".")
            watch.stdin.close()
        watch.wait()
