"""MEDIC as the BioSyn line of work distributes it: `id[|alternative ids]||name|synonym…` or `id||name` lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from linnet.curies import curie
from linnet.files import read_lines
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entries
from linnet.terminology.readers.options import DEFAULTS, ReadOptions
from linnet.types import Concept

__all__ = ["read_medic"]

_MESH = re.compile(r"[CDcd]\d*")


def read_medic(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts in the order of the file, lines of one id united; each alternative id as a retired one.

    Bare numbers are OMIM ids and bare `C…`/`D…` MeSH ids (or `prefix`, where given). `|` separates ids before `||`
    and names after it. An alternative id that has lines of its own stays a concept.
    """
    entries = Entries()
    others: dict[str, list[str]] = {}
    for number, line in read_lines(path):
        if not line.strip():
            continue
        ids, bars, names = line.partition("||")
        first, *alternatives = (_id(id, options.prefix) for id in ids.split("|"))
        cleaned = [name for name in map(clean, names.split("|")) if name]
        if not bars or not first or not cleaned:
            options.malformed(f"'{line[:60]}' is not `id||name|synonym…`.", path=path, line=number)
            continue
        entries[first].names.extend(cleaned)
        for id in alternatives:
            if id:
                others.setdefault(id, []).append(first)
    for id, targets in others.items():
        if id not in entries:
            entries[id].replaced_by.extend(targets)
    yield from entries.concepts()


def _id(text: str, prefix: str) -> str:
    text = text.strip()
    if not text or ":" in text:
        return curie(text)
    if prefix:
        return curie(text, prefix=prefix)
    return curie(text, prefix="OMIM" if text.isdigit() else "MESH" if _MESH.fullmatch(text) else "")
