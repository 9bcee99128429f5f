"""Where the `linnet` command starts: it imports nothing until Ctrl-C ends it without a traceback."""

from __future__ import annotations

import os

__all__ = ["main"]

_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        from linnet.cli import main as run

        run()
    except KeyboardInterrupt:
        # Pressed before or after the command itself: nothing is being written.
        os.write(2, b"Interrupted.\n")
        os._exit(_INTERRUPTED)
