"""A helper process that prints a message if the program that started it is killed.

When a Ray process on the same machine dies (agent or raylet, for example killed by the system for lack of memory), Ray's
library ends the program at once, from outside Python, where nothing can be caught. So another process has to report it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["notice_if_killed"]

_WATCH = "import sys; sys.stdin.read() or sys.stderr.write(sys.argv[1] + '\\n')"


@contextmanager
def notice_if_killed(message: str) -> Iterator[None]:
    """Print `message` to standard error if Ray or a signal ends this program inside the block."""
    watch = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WATCH, message],
        stdin=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in the terminal must not reach it
    )
    try:
        yield
    finally:
        assert watch.stdin is not None
        with suppress(OSError):  # the helper itself was killed
            watch.stdin.write(b".")
            watch.stdin.close()
        watch.wait()
