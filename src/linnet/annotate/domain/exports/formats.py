"""The corpus formats, for users to choose from."""

from __future__ import annotations

from typing import NamedTuple

from linnet import formats as table

__all__ = ["ANNOTATION_TABLE", "Format", "formats"]


class Format(NamedTuple):
    """A corpus format: whether it can be uploaded and exported, and the ending of its exported file."""

    name: str
    description: str
    reads: bool
    writes: bool
    ending: str


ANNOTATION_TABLE = "csv"
"""The format that only the annotation tool writes."""


def formats() -> list[Format]:
    """All formats of texts that `linnet.corpora` knows, and the table of annotations."""
    return [
        Format(
            row.name,
            row.title,
            bool(row.reader),
            bool(row.writer) or row.name == ANNOTATION_TABLE,
            row.ending,
        )
        for row in table.formats("corpus").values()
        if "binary" not in row.traits
    ]
