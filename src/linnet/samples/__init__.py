"""The packaged starter: a small terminology and three abstracts, so that linnet shows something before any download.

Both were written by hand for this project. The terminology holds some 670 common diseases, symptoms and drugs
with their MeSH ids, everyday names, abbreviations and one-line definitions in our own words; its hierarchy follows MeSH's
roughly. Several abbreviations belong to more than one concept ("MS", "CF", "AT"), as in real text. It is a demonstration and a
test bed, not a substitute for MeSH. The abstracts report studies that never took place.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from importlib.resources import files
from typing import Any

from linnet.types import Concept, Document, Mention

__all__ = ["concepts", "digest", "documents"]


def concepts() -> Iterator[Concept]:
    """The concepts of the starter terminology, in the order of the file.

    `types` are ("Disease",), ("Disease", "Symptom") or ("Chemical",); parents are concepts of the starter too.
    """
    for row in _rows("terminology.jsonl"):
        yield Concept(
            row["id"],
            row["name"],
            tuple(row["names"]),
            types=tuple(row["types"]),
            definition=row["definition"],
            parents=tuple(row["parents"]),
            sources=("MESH",),
        )


def documents() -> list[Document]:
    """The three invented abstracts with their gold mentions, in text order; a composite mention has several concepts."""
    return [_document(row) for row in _rows("abstracts.jsonl")]


def digest() -> str:
    """Digest of the starter terminology's source, to tell whether a compiled copy is current."""
    source = (files(__package__) / "terminology.jsonl").read_bytes()
    return blake2b(source, digest_size=16).hexdigest()


def _document(row: dict[str, Any]) -> Document:
    bare = Document(row["id"], row["text"])
    return bare.with_mentions(
        [
            Mention(bare, gold["start"], gold["end"], gold["text"], gold["type"], tuple(gold["concepts"]))
            for gold in row["mentions"]
        ]
    )


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with (files(__package__) / name).open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)
