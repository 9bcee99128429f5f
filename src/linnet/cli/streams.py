"""Standard streams that are closed, or that cannot hold every character."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from linnet.filenames import SPELT

__all__ = ["prepare_streams"]


def prepare_streams() -> None:
    """Make the standard streams fit to read from and write to.

    Output that goes to a file or pipe is UTF-8 whatever the locale, with file names that are not spelt as in
    `linnet.filenames`; a terminal gets `?` for characters it cannot show.
    A stream that is closed is opened: standard input is empty, writing to standard output fails as on a full disk, and
    messages to standard error are lost. Without that, the next file that is opened would take its place.
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
