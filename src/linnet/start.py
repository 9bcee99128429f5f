"""Entry point of the `linnet` command: handles Ctrl-C without a traceback, even while modules are imported."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing it from `typing` is slow
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["main"]

_REFUSED = 1
_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        _run()
    except KeyboardInterrupt:
        # Before or after the command itself: nothing is being written.
        _end("Interrupted.", _INTERRUPTED)
    except MemoryError:
        _end("Error: Not enough memory. Close other programs.", _REFUSED)


def _run() -> None:
    import gc

    # Garbage collection while modules are imported takes a tenth of a short command's time. `linnet.cli.lazy.begin` enables
    # it again.
    gc.disable()
    # Imported first: if memory runs out, nothing more can be imported to recognise the error.
    from linnet.system.memory_errors import NOT_ENOUGH, short_of_memory

    try:
        from linnet.cli import main as run

        run()
    except SystemExit as end:
        # The error is reported and files are cleaned up. Libraries without memory crash when they are unloaded.
        if short_of_memory(end):
            _leave(end.code)
        raise
    except Exception as error:
        # Commands report their own errors; this one comes from imports, or from the command line itself.
        if not short_of_memory(error):
            raise
        _end(f"Error: {NOT_ENOUGH}", _REFUSED)
    finally:
        # The process ends: a last garbage collection would be wasted.
        gc.freeze()


def _end(message: str, code: int) -> NoReturn:
    os.write(2, f"{message}\n".encode())
    os._exit(code)


def _leave(code: object) -> NoReturn:
    import sys
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed
            stream.flush()
    os._exit(code if isinstance(code, int) else _REFUSED)
