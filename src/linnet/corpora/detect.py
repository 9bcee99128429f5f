"""Which format is this? Told from the first bytes, helped by the file's name."""

from __future__ import annotations

import io
import json
import re
import sys
import zlib
from pathlib import Path
from typing import Any

from linnet.corpora.json_head import first_record
from linnet.corpora.pubtator import HEADER
from linnet.corpora.tool_exports import told
from linnet.corpora.tools.uima import holds_uima
from linnet.corpora.tools.webanno import MARK
from linnet.errors import DataError
from linnet.files import text_of_head

__all__ = ["detect"]

_PEEKED = 1 << 16
_CONLL = re.compile(r"^\S+(?:[ \t]+\S+)*[ \t]+(?:[BIOESLU]|[BIESLU]-\S+)$")
_OBJECT = re.compile(r"\{\s*[\"}]")
_TABLES = (".csv", ".tsv", ".parquet")
_MENTION_FIELDS = frozenset({"left", "right", "document", "concept", "concepts", "candidates"})


def detect(path: str | Path) -> str:
    """The name of the format, one of `readers`. A `-` is looked at without being used up.

    JSON lines with a `left`, `right`, `document`, `concept` or `concepts` beside `text` are mentions, others
    documents. What is no other format is plain text. Raises DataError for a missing or empty file, and for a folder
    that holds neither `.ann` nor `.txt` nor `.xmi` files.
    """
    place = Path(path)
    if str(path) != "-" and place.is_dir():
        return _folder(place)
    head = _head(path)
    if not head.strip():
        raise DataError("is empty; expected a document. Check the file.", path=path)
    if head.startswith(b"PAR1"):
        return "table"
    if head.startswith(b"PK\x03\x04") and holds_uima(path):
        return "uima"
    text = text_of_head(head)
    if text.startswith(MARK):
        return "webanno"
    if text.lstrip().startswith("<") and "<typeSystemDescription" in text:
        raise DataError(
            "is a UIMA type system, which holds no text. Name the .xmi file beside it.", path=path
        )
    name = place.name.lower().removesuffix(".gz")
    if name.endswith(_TABLES):
        return "table"
    if name.endswith(".ann") or (name.endswith(".txt") and place.with_suffix(".ann").is_file()):
        return "brat"
    return _content(text)


def _folder(folder: Path) -> str:
    endings = {entry.suffix for entry in folder.iterdir()}
    for ending, format in ((".ann", "brat"), (".xmi", "uima"), (".txt", "text")):
        if ending in endings:
            return format
    raise DataError(
        "the folder holds neither .ann nor .txt nor .xmi files. Name a file, or another folder.", path=folder
    )


def _head(path: str | Path) -> bytes:
    """The first bytes, unzipped; as many as there are where gzip ends too early (the reader will say so)."""
    if str(path) == "-":
        stream = sys.stdin.buffer
        if isinstance(stream, io.BufferedReader):
            return stream.peek(_PEEKED)
        head = stream.read(_PEEKED)
        stream.seek(0)
        return head
    try:
        with Path(path).open("rb") as raw:
            head = raw.read(_PEEKED)
    except FileNotFoundError:
        raise DataError("no such file. Check the path.", path=path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}.", path=path) from None
    if head.startswith(b"\x1f\x8b"):
        try:
            return zlib.decompressobj(wbits=31).decompress(head, _PEEKED)
        except zlib.error as error:
            raise DataError(f"the gzip file is damaged ({error}). Fetch it again.", path=path) from None
    return head


def _content(text: str) -> str:
    start = text.lstrip()
    if start.startswith("<"):
        if "http://www.omg.org/XMI" in text:
            return "uima"
        return "bioc" if "<collection" in text or "BioC" in text else "text"
    if format := told(first_record(start)):
        return format
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
