"""What a reader does with a document or row it cannot take: stop, or report it and go on."""

from __future__ import annotations

from collections.abc import Callable

from linnet.errors import DataError

__all__ = ["Refuse", "stop"]

Refuse = Callable[[DataError], None]
"""Raises the error, or takes note of it and returns; then the reader leaves out what was refused and goes on.

What is left out is the smallest part that can be: one mention where the rest of its document is sound, else the document.
"""


def stop(error: DataError) -> None:
    """Raise the error: nothing malformed is let through."""
    raise error
