"""Limits of uploads. A corpus of 10,000 annotated abstracts has about 50 MB."""

from __future__ import annotations

__all__ = [
    "ANNOTATIONS",
    "CHARACTERS",
    "DOCUMENTS",
    "EXPANSION",
    "FILES",
    "REQUEST",
    "UNPACKED",
]

REQUEST = 256 * 2**20  # bytes of a request
UNPACKED = 2**30  # bytes of an upload after unpacking
EXPANSION = 200  # times the size of an archive; text rarely compresses more than 20 times
FILES = 20_000  # per archive
DOCUMENTS = 100_000  # per upload
CHARACTERS = 1_000_000  # per document: a thesis
ANNOTATIONS = 100_000  # per document: one for every ten characters
