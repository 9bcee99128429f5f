"""The dictated notes of MTSamples that may be learnt from: neither one that is scored once nor another copy of its text.

Notes whose SHA-1 of the id is divisible by 5 are scored once, at the end. The file of texts has most notes twice, with markup under the
id and without it under the id with ".clean", so that a copy is told by its text, too.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["ANNOTATED", "TEXTS", "beginning", "is_held_out", "learnable"]

ANNOTATED, TEXTS = "corpora/mtsamples/annotated.jsonl.gz", "text/mtsamples.jsonl.gz"
_TAG = re.compile(r"<[^>]*>")


def learnable(file: str, *, data: Path | None = None) -> Iterator[dict[str, Any]]:
    """The records of ANNOTATED or TEXTS to learn from, in their order. data: folder of both; None: what LINNET_DATA names"""
    folder = data or Path(os.environ["LINNET_DATA"])
    for record in _records(folder / file):
        if not is_held_out(record["id"]) and beginning(record["text"]) not in _held_out(folder):
            yield record


def is_held_out(id: str) -> bool:
    """Whether a note is scored once, under its own id or that of its other copy."""
    name = id.removesuffix(".clean")
    return any(int(hashlib.sha1(i.encode()).hexdigest(), 16) % 5 == 0 for i in (name, f"{name}.clean"))


def beginning(text: str) -> str:
    """What two copies of a note share: the letters of its beginning."""
    return re.sub(r"\W+", "", _TAG.sub(" ", text).casefold())[:400]


@cache
def _held_out(folder: Path) -> frozenset[str]:
    return frozenset(
        beginning(record["text"])
        for file in (ANNOTATED, TEXTS)
        for record in _records(folder / file)
        if is_held_out(record["id"])
    )


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
