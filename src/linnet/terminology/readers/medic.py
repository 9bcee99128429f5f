"""MEDIC as distributed with BioSyn: lines of `id[|alternative ids]||name|synonym…` or `id||name`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from linnet.advice import Step
from linnet.io.files import read_lines
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entries
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.types import Concept
from linnet.words.curies import curie

__all__ = ["is_medic_line", "read_medic"]

# An id holds a digit, is a CURIE, or is the letter of a MeSH tree ("C||Diseases" heads CTD's tree of diseases).
_ID = r"(?:[A-Za-z][\w.-]*:[^\s|]+|[^\s|]*\d[^\s|]*|[A-Z])"
_IDS = re.compile(rf"\s*{_ID}\s*(?:\|\s*{_ID}\s*)*")
_OMIM = re.compile(r"\d{6}")
_MESH = re.compile(r"[CD](?!\d{7}$)\d*", re.IGNORECASE)
_UMLS = re.compile(r"C\d{7}", re.IGNORECASE)


def is_medic_line(line: str) -> bool:
    """Whether a line is `id||name|synonym…` or `id|alternative id||name|synonym…`, with `||` once."""
    ids, bars, names = line.partition("||")
    return bool(bars and "||" not in names and names.strip("| \t") and _IDS.fullmatch(ids))


def read_medic(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts in file order, lines with one id united; then alternative ids as retired ids.

    A bare id is OMIM's if it has six digits, UMLS's if it is C and seven digits, else MeSH's if it is C or D and digits;
    others need `prefix`, which applies to all bare ids if given. `|` separates ids before `||` and names after it. An
    alternative id with lines of its own stays a concept.
    Raises DataError with the line for another layout, or for an id of unknown vocabulary.
    """
    file = SourceFile(path, options)
    entries = Entries()
    others: dict[str, list[str]] = {}
    for number, line in read_lines(path):
        if not line.strip():
            continue
        if not is_medic_line(line):
            file.malformed(f"'{line[:60]}' is not `id||name|synonym…`.", number)
            continue
        ids, _, names = line.partition("||")
        written = ids.split("|")
        first, *alternatives = curies = [_id(id, options.prefix) for id in written]
        if "" in curies:
            bare = written[curies.index("")]
            file.malformed(
                f"'{bare.strip()}' is not an id of OMIM (six digits), MeSH (C or D and digits) or UMLS (C and seven digits). "
                "Give its prefix.",
                number,
                Step.READ_WITH(prefix="MEDDRA"),
            )
            continue
        cleaned = [name for name in map(clean, names.split("|")) if name]
        entries[first].names.extend(cleaned)
        for id in alternatives:
            others.setdefault(id, []).append(first)
    for id, targets in others.items():
        if id not in entries:
            entries[id].replaced_by.extend(targets)
    yield from entries.concepts()


def _id(text: str, prefix: str) -> str:
    """The id as a CURIE; "" for a bare id of unknown vocabulary."""
    text = text.strip()
    if ":" in text:
        return curie(text)
    if prefix:
        return curie(text, prefix=prefix)
    for pattern, vocabulary in ((_OMIM, "OMIM"), (_MESH, "MESH"), (_UMLS, "UMLS")):
        if pattern.fullmatch(text):
            return curie(text, prefix=vocabulary)
    return ""
