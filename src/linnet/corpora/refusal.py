"""What a reader does with malformed input: stop, or report it and continue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from linnet.errors import DataError

__all__ = ["Refuse", "read_each", "stop"]

T = TypeVar("T")
Refuse = Callable[[DataError], None]
"""Raises the error, or records it and returns; the reader then skips the malformed item and continues.

As little as possible is skipped: one mention if the rest of its document is sound, else the document.
"""


def stop(error: DataError) -> None:
    """Raise the error: stop at the first malformed item."""
    raise error


def read_each(items: Iterable[tuple[Any, ...]], read: Callable[..., T], refuse: Refuse) -> Iterator[T]:
    """`read(*item)` of each item in order; an item for which it raises DataError is refused alone."""
    for item in items:
        try:
            result = read(*item)
        except DataError as error:
            refuse(error)
        else:
            yield result
