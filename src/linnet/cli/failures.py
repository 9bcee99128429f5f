"""Errors become a message on standard error and an exit code; a traceback is printed only with LINNET_DEBUG=1.

code  reason
1     the data or the request was refused, or the disk or the memory is full
2     wrong usage (by typer)
130   interrupted with Ctrl-C (128 + SIGINT, as shells report it)
141   the reader of a pipe went away, `linnet … | head` (128 + SIGPIPE, as in other tools); no message
143   terminated (128 + SIGTERM)
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, NoReturn

import typer

from linnet.errors import LinnetError, MissingExtraError
from linnet.system.memory_errors import NOT_ENOUGH, short_of_memory

__all__ = ["INTERRUPTED", "OPTIONS", "PIPE_CLOSED", "REFUSED", "TERMINATED", "needs_extra", "reporting"]

OPTIONS = "linnet.options"
"""Key in the context's `meta` for the options of the running command."""
REFUSED = 1
INTERRUPTED = 130
PIPE_CLOSED = 141
TERMINATED = 143


@contextmanager
def reporting(meta: Mapping[str, Any] = MappingProxyType({})) -> Iterator[None]:
    """Turn errors that a user can act on into a message and an exit code.

    meta  of the command's context; under `OPTIONS`, the options that a message may name
    """
    try:
        yield
        # Flush here, where a closed pipe is expected, not at interpreter exit.
        sys.stdout.flush()
    except LinnetError as error:
        if short_of_memory(error):
            _end(NOT_ENOUGH, REFUSED, error)
        from linnet.cli.advice import for_command

        _end(for_command(error, meta.get(OPTIONS)), REFUSED, error)
    except KeyboardInterrupt as error:
        _end("Interrupted. No half-written file was left.", INTERRUPTED, error)
    except BrokenPipeError as error:
        _give_up_output()
        raise typer.Exit(PIPE_CLOSED) from error
    except OSError as error:
        _give_up_output()
        _end(NOT_ENOUGH if short_of_memory(error) else _describe(error), REFUSED, error)
    except Exception as error:
        if not short_of_memory(error):
            raise
        _end(NOT_ENOUGH, REFUSED, error)


@contextmanager
def needs_extra(feature: str, extra: str) -> Iterator[None]:
    """Around imports: raises MissingExtraError if a library of the extra is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("linnet"):
            raise
        raise MissingExtraError(feature, extra) from error


def _give_up_output() -> None:
    """If standard output cannot be written, redirect it to nowhere, so that Python's flush at exit does not fail again."""
    try:
        sys.stdout.flush()
    except OSError:
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _describe(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{place}the disk is full. No half-written file was left. Free some space and run it again."
    if error.errno == errno.EBADF and not error.filename:
        return "standard output is closed. Open it, or write to a file with -o."
    return f"{place}{error.strerror or error}."


def _end(message: str, code: int, error: BaseException) -> NoReturn:
    if os.environ.get("LINNET_DEBUG", "") not in ("", "0"):
        traceback.print_exception(error, file=sys.stderr)
    typer.echo(message if code == INTERRUPTED else f"Error: {message}", err=True)
    raise typer.Exit(code) from error
