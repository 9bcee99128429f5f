"""A file being read: the place that errors name, and what happens to malformed and left-out items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from linnet.advice import Advice
from linnet.corpora.notes import Note, ignore
from linnet.errors import DataError
from linnet.formats.refusal import Refuse, stop

__all__ = ["FileReading"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FileReading:
    """A file, or one item in it.

    refuse  takes the error of a malformed item        note  counts items that are left out on purpose
    line    None if unknown                            item  "document 3, entity 2"; "" for the file
    """

    path: str | Path
    refuse: Refuse = stop
    note: Note = ignore
    line: int | None = None
    item: str = ""

    def at(self, item: str) -> FileReading:
        """The same file at another item."""
        return FileReading(self.path, self.refuse, self.note, self.line, item)

    def inside(self, item: str) -> FileReading:
        """An item of this one: "entity 2" of "document 3"."""
        return self.at(f"{self.item}, {item}")

    def on(self, line: int | None) -> FileReading:
        """The same on a line of the file."""
        return FileReading(self.path, self.refuse, self.note, line, self.item)

    def error(self, message: str, *advice: Advice, kind: type[DataError] = DataError) -> DataError:
        """The error for this item, with its place."""
        prefix = f"{self.item}: " if self.item else ""
        return kind(f"{prefix}{message}", *advice, path=self.path, line=self.line)

    def each(self, items: Iterable[tuple[Any, ...]], read: Callable[..., T]) -> Iterator[T]:
        """`read(*item)` of each item in order; an item for which it raises DataError is refused alone."""
        for item in items:
            try:
                result = read(*item)
            except DataError as error:
                self.refuse(error)
            else:
                yield result
