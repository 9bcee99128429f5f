"""Which format is this? Told from the first bytes, helped by the file's name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from linnet.corpora.pubtator import HEADER
from linnet.errors import DataError
from linnet.files import head_of, inner_name, text_of_head
from linnet.workbook import is_workbook

__all__ = ["detect"]

_CONLL = re.compile(r"^\S+(?:[ \t]+\S+)*[ \t]+(?:[BIOESLU]|[BIESLU]-\S+)$")
_OBJECT = re.compile(r"\{\s*[\"}]")
_TABLES = (".csv", ".tsv", ".parquet")
_MENTION_FIELDS = frozenset({"left", "right", "document", "concept", "concepts", "candidates"})


def detect(path: str | Path) -> str:
    """The name of the format, one of `readers`. A `-` is looked at without being used up.

    JSON lines with a `left`, `right`, `document`, `concept` or `concepts` beside `text` are mentions, others
    documents. What is no other format is plain text. Raises DataError for a missing or empty file, and for a folder
    that holds neither `.ann` nor `.txt` files.
    """
    place = Path(path)
    if str(path) != "-" and place.is_dir():
        return _folder(place)
    if is_workbook(path):
        return "table"
    head = head_of(path)
    if not head.strip():
        raise DataError("is empty; expected a document. Check the file.", path=path)
    if head.startswith(b"PAR1"):
        return "table"
    name = inner_name(path).lower()
    if name.endswith(_TABLES):
        return "table"
    if name.endswith(".ann") or (name.endswith(".txt") and place.with_suffix(".ann").is_file()):
        return "brat"
    return _content(text_of_head(head))


def _folder(folder: Path) -> str:
    endings = {entry.suffix for entry in folder.iterdir()}
    for ending, format in ((".ann", "brat"), (".txt", "text")):
        if ending in endings:
            return format
    raise DataError(
        "the folder holds neither .ann nor .txt files. Name a file, or another folder.", path=folder
    )


def _content(text: str) -> str:
    start = text.lstrip()
    if start.startswith("<"):
        return "bioc" if "<collection" in text or "BioC" in text else "text"
    if _OBJECT.match(start):
        return _json(start)
    rows = [line for line in text.splitlines()[:50] if line.strip()]
    if not rows:
        return "text"
    if HEADER.match(rows[0]):
        return "pubtator"
    if rows[0].startswith("-DOCSTART-") or (len(rows) > 1 and all(map(_CONLL.match, rows[:-1]))):
        return "conll"
    return "text"


def _json(text: str) -> str:
    try:
        record: Any = json.loads(text.splitlines()[0])
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict) and "text" in record:
        if "mentions" not in record and _MENTION_FIELDS & record.keys():
            return "mentions"
        return "jsonl"
    if '"passages"' in text or '"infons"' in text:
        return "biocjson"
    if '"annotations"' in text or '"documents"' in text:
        return "texoo"
    return "jsonl"
