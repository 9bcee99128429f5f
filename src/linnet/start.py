"""Where the `linnet` command starts: it imports nothing until Ctrl-C ends it without a traceback."""

from __future__ import annotations

import os

__all__ = ["main"]

_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        import gc

        # Modules are no garbage, and searching them for it takes a tenth of a short command's time. `linnet.cli.lazy.begin`
        # switches collecting on again.
        gc.disable()
        try:
            from linnet.cli import main as run

            run()
        finally:
            # The process ends, and its memory goes back as a whole: Python need not search it for garbage once more.
            gc.freeze()
    except KeyboardInterrupt:
        # Pressed before or after the command itself: nothing is being written.
        os.write(2, b"Interrupted.\n")
        os._exit(_INTERRUPTED)
