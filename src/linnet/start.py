"""Entry point of the `linnet` command: handles Ctrl-C without a traceback, even while modules are imported."""

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
        # Pressed before or after the command itself, so nothing is being written.
        os.write(2, b"Interrupted.\n")
        os._exit(_INTERRUPTED)
