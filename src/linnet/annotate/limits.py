"""Limits of uploads. A corpus of 10,000 annotated abstracts has about 50 MB."""

from __future__ import annotations

__all__ = [
    "ANNOTATIONS",
    "CHARACTERS",
    "CONCEPTS",
    "DOCUMENTS",
    "EXPANSION",
    "FILES",
    "NAME",
    "REQUEST",
    "ROWS",
    "TYPE",
    "UNPACKED",
]

REQUEST = 256 * 2**20  # bytes of a request
UNPACKED = 2**30  # bytes of an upload after unpacking
EXPANSION = 200  # times the size of an archive; text rarely compresses more than 20 times
FILES = 20_000  # per archive
DOCUMENTS = 100_000  # per upload
CHARACTERS = 1_000_000  # per document: a thesis
ANNOTATIONS = 100_000  # per document: one for every ten characters
ROWS = 1_000_000  # of a Parquet file
NAME = 500  # characters of a document's id, the width of its column
TYPE = 200  # characters of a type, the width of its column, or of a concept id
CONCEPTS = 50  # per annotation
