"""Recall on real dictated notes: how many annotated diagnoses and medications of MTSamples a system's annotations overlap.

The notes are annotated by one reviewer and not exhaustively, so precision is read off a sample (`precision_sample.py`). Those whose SHA-1
of the id is a multiple of 5 are scored once, at the end; nothing that ships has learnt from them, or from other copies of their texts.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.clinical.notes import TYPES
from benchmarks.clinical.systems import System
from linnet.types import Document, Mention

__all__ = ["FILE", "read", "recall"]

FILE = Path("corpora/mtsamples/annotated.jsonl.gz")


def read(path: Path, *, score: bool = False) -> list[Document]:
    """The documents to tune on, or with `score` those scored once, with their diagnoses ("Disease") and medications ("Chemical")."""
    documents = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if (int(hashlib.sha1(record["id"].encode()).hexdigest(), 16) % 5 == 0) is not score:
                continue
            bare = Document(record["id"], record["text"])
            spans = [Mention(bare, m["start"], m["end"], m["text"], m["type"]) for m in record["mentions"]]
            documents.append(bare.with_mentions(spans))
    return documents


def recall(documents: Sequence[Document], system: System) -> dict[str, list[int]]:
    """By type, the annotated spans that a linked annotation of that type overlaps, and all."""
    counts = {kind: [0, 0] for kind in sorted(TYPES)}
    bare = [document.with_mentions([]) for document in documents]
    for document, found in zip(documents, system.annotate(bare), strict=True):
        for mention in document.mentions:
            count = counts[mention.type]
            count[0] += any(
                a.concepts and a.type == mention.type and a.overlaps(mention.start, mention.end)
                for a in found
            )
            count[1] += 1
    return counts
