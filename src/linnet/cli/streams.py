"""Standard streams: closed ones, and ones that cannot encode every character."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from linnet.io.filenames import SPELT

__all__ = ["prepare_streams"]


def prepare_streams() -> None:
    """Make the standard streams safe to read and write.

    Files and pipes get UTF-8 whatever the locale, with undecodable bytes in file names spelt as in `linnet.io.filenames`; a
    terminal gets `?` for characters that it cannot show.
    A closed stream is reopened, because the next file to be opened would otherwise take its number: standard input is then
    empty, writing to standard output fails, and messages to standard error are lost.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), "r", encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if isinstance(sys.stdout, TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="replace")
        else:
            sys.stdout.reconfigure(encoding="utf-8", errors=SPELT)
