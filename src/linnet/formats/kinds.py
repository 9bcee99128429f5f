"""Kinds of files that linnet does not read as a text or as a terminology, recognised by the signs in `refusals.tsv`.

>>> kind_of(b"%PDF-1.7 ...").name
'a PDF'
>>> kind_of(b"Patients with gout were asked.") is None
True
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import NamedTuple

from linnet.advice import Note, Step
from linnet.formats.delimited import data_rows
from linnet.formats.head import CONTROL_CODES, UTF_16, Head, is_zip
from linnet.formats.signs import Sign
from linnet.formats.table import formats

__all__ = [
    "Kind",
    "corpus_kind",
    "document_of",
    "first_line_kind",
    "is_parquet",
    "is_zip",
    "kind_of",
    "late_kind",
    "packed_kind",
    "tool_export",
]

_BYTES = ("packed", "bytes", "word", "zipped", "member", "workbook")
_TEXTS = Note("A terminology holds ids and names; `linnet link` and `linnet evaluate` read text.")
_UNPACK = Note("Unpack it first.")


class Kind(NamedTuple):
    """A kind of file.

    name    with its article: "an Excel workbook (.xlsx)"; or a clause with a verb of its own: "holds …", "looks like …"
    advice  the next step for a file of texts; FILE and NEW stand for names; "" for what linnet reads as a text
    terminology_advice  the next step for a terminology; {name} and {stem} stand for the file's name; "" for a kind that may be
                        a terminology
    binary  it holds bytes, not text
    is_workbook  it can be read as a table
    """

    name: str
    advice: Note
    terminology_advice: Note = Note("")
    binary: bool = False
    is_workbook: bool = False

    @property
    def clause(self) -> str:
        """The name with its verb: "is a PDF"."""
        return self.name if self.name.startswith(("holds ", "looks ")) else f"is {self.name}"


@cache
def _refusals(*signs: str) -> tuple[tuple[Sign, Kind], ...]:
    """The rows of the table with these kinds of signs, in its order."""
    rows = data_rows(Path(__file__).with_name("refusals.tsv"))
    advice = {row[1]: row[2] for row in rows if row[0] == "advice"}
    known = []
    for sign, pattern, name, *steps in rows:
        if sign in signs:
            text, terminology = (_step(advice.get(step, step)) for step in (*steps, "", "")[:2])
            known.append(
                (Sign(sign, pattern), Kind(name, text, terminology, sign in _BYTES, sign == "workbook"))
            )
    return tuple(known)


def _step(cell: str) -> Note:
    sentence, _, named = cell.rpartition("→") if "→" in cell else (cell, "", "")
    step, _, facts = named.strip().partition(" ")
    return Note(sentence.strip(), *([Step[step](**json.loads(facts or "{}"))] if step else []))


def kind_of(head: bytes | Head) -> Kind | None:
    """The kind of a file that begins like this; None for plain text, tables, corpora, and unknown JSON or XML.

    head  a few thousand bytes suffice for most kinds
    """
    head = head if isinstance(head, Head) else Head(head)
    if binary := _binary(head):
        return binary
    for format in formats("terminology").values():
        if format.advice and format.fits(head):
            return Kind(format.title, Note(format.advice))
    return _fitting(head, "text", "namespace", "root", "key")


def corpus_kind(head: Head) -> Kind | None:
    """The format of annotated text, other than JSON, that a file proves: it cannot be a terminology."""
    corpora = [] if head.json else formats("corpus").values()
    name = next((known.title for known in corpora if "binary" not in known.traits and known.fits(head)), "")
    return Kind(f"annotated text ({name})", Note(""), _TEXTS) if name else _fitting(head, "annotated")


def late_kind(head: Head) -> Kind | None:
    """A kind that is no terminology, by signs that a terminology may have too: for a file that proves no format."""
    return _fitting(head, "late", "names", "key")


def first_line_kind(head: Head) -> Kind | None:
    """A file of a release, or one without its header, by its first line: the last to try for a text."""
    return _fitting(head, "first")


def tool_export(head: Head) -> Kind | None:
    """The export of an annotation tool that linnet does not read."""
    return _fitting(head, "fields")


def packed_kind(head: bytes) -> Kind | None:
    """A compressed or packed file that linnet does not unpack, by its first bytes."""
    return _fitting(Head(head), "packed")


def document_of(names: Collection[str], mimetype: str = "") -> Kind | None:
    """The document in zip format that has files of these names; None for an archive."""
    known = _refusals("member", "workbook")
    return next((kind for sign, kind in known if sign.pattern in names or sign.pattern == mimetype), None)


def is_parquet(head: bytes) -> bool:
    """Whether a file that begins like this is Parquet, and not a text about the receptor PAR1."""
    return head.startswith(b"PAR1") and Head(head).is_binary


def _fitting(head: Head, *signs: str) -> Kind | None:
    return next((kind for sign, kind in _refusals(*signs) if sign.fits(head)), None)


def _binary(head: Head) -> Kind | None:
    if is_zip(head.raw):
        return _fitting(head, "member", "workbook", "zipped") or Kind("a zip archive", _UNPACK, binary=True)
    if kind := _fitting(head, "packed", "bytes"):
        return kind
    if re.match(rb"\x78[\x01\x5e\x9c\xda]", head.raw) and head.is_binary:
        return _deflated(head)
    if head.raw.startswith(UTF_16) or not head.is_binary:
        return None
    if kind := _fitting(head, "word"):
        return kind
    return _undecoded(head.raw)


def _undecoded(raw: bytes) -> Kind:
    """Text in UTF-16 that does not say so, or a binary file of no known kind."""
    control = bytes(CONTROL_CODES)
    for first, encoding in ((1, "utf-16le"), (0, "utf-16be")):
        high, low = raw[first::2], raw[1 - first :: 2]
        # One NUL is a stray one.
        if len(raw) > 1 and high.count(0) > max(1, 0.3 * len(high)) and low == low.translate(None, control):
            advice = Note("", Step.CONVERT_ENCODING(encoding=encoding))
            return Kind("UTF-16 without a byte order mark", advice, binary=True)
    text, named = "If it is text, save it as UTF-8", "else name the file with the"
    return Kind(
        "a binary file of an unknown kind",
        Note(f"{text}; {named} texts."),
        Note(f"{text}; {named} ids and names."),
        binary=True,
    )


def _deflated(head: Head) -> Kind | None:
    """A zlib stream: a format that is one, or an unknown file."""
    if format := next(
        (known for known in formats("corpus").values() if "binary" in known.traits and known.fits(head)), None
    ):
        return Kind(format.title, Note(f"Name the format {format.name}, or none."), _TEXTS, binary=True)
    try:
        zlib.decompressobj().decompress(head.raw, 1 << 14)
    except zlib.error:
        return None  # "x^", say, begins a text
    return Kind("a file compressed with zlib", _UNPACK, binary=True)
