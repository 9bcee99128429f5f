"""How much is taken. A medical corpus of 10,000 abstracts with annotations is some 50 MB."""

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
UNPACKED = 2**30  # bytes of an upload, once archives are unpacked
EXPANSION = 200  # times an archive's size; text rarely packs to less than a twentieth
FILES = 20_000  # in an archive
DOCUMENTS = 100_000  # in an upload
CHARACTERS = 1_000_000  # of a document; a thesis
ANNOTATIONS = 100_000  # of a document: every tenth character
