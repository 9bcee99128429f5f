"""What a reader does with malformed input: stop, or report it and continue."""

from __future__ import annotations

from collections.abc import Callable

from linnet.errors import DataError

__all__ = ["Refuse", "stop"]

Refuse = Callable[[DataError], None]
"""Raises the error, or records it and returns; the reader then skips the malformed item and continues.

As little as possible is skipped: one mention if the rest of its document is sound, else the document.
"""


def stop(error: DataError) -> None:
    """Raise the error: stop at the first malformed item."""
    raise error
