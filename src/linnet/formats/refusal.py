"""What a reader does with malformed input: stop, or report it and continue."""

from __future__ import annotations

from collections.abc import Callable

from linnet.errors import DataError, RequestError

__all__ = ["Refuse", "refuser", "stop"]

Refuse = Callable[[DataError], None]
"""Raises the error, or records it and returns; the reader then skips the malformed item and continues.

As little as possible is skipped: one mention if the rest of its document is sound, else the document.
"""


def stop(error: DataError) -> None:
    """Raise the error: stop at the first malformed item."""
    raise error


def refuser(on_error: str, report: Refuse | None = None) -> Refuse:
    """`stop` for "stop"; for "skip", `report`, or nothing. Raises RequestError for another word."""
    if on_error not in ("stop", "skip"):
        raise RequestError(f"on_error is '{on_error}'; expected 'stop' or 'skip'.")
    return stop if on_error == "stop" else report or (lambda error: None)
