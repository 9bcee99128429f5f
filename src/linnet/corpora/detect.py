"""Detection of the format of a file from its first bytes and its name, without guessing.

The content must prove the format. Running text without signs of structure is `text`. Content with signs of structure that
proves no format is refused with DataError: what it looks like, its columns or keys, and the next command.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.corpora.conll_rows import odd_row
from linnet.corpora.jq import as_lines, text_from
from linnet.corpora.marks import ANNOTATIONS, HEADER
from linnet.corpora.packed_brat import check_unpacked
from linnet.corpora.shape import is_list_of_names, table_columns
from linnet.errors import DataError
from linnet.formats import Head, formats
from linnet.formats.kinds import Kind, is_parquet, kind_of, tool_export
from linnet.io import archive
from linnet.io.files import exists, head_of, inner_name
from linnet.io.workbook import is_workbook
from linnet.listing import first_few

__all__ = ["AS_TEXT", "check_bytes", "check_text", "detect"]

_PEEKED = 1 << 16
_ROWS = 200  # lines inspected
_SHOWN, _KEYS = 12, 20  # columns and keys that a message lists
AS_TEXT = Step.READ_AS(format="text")
_NO_OBJECT = "is JSON without a readable object with a text: it is empty, damaged or cut off."
_BINARY = [format for format in formats("corpus").values() if "binary" in format.traits]
_BY_CERTAINTY = sorted(
    (format for format in formats("corpus").values() if format not in _BINARY),
    key=lambda format: "tool" not in format.traits,
)
_TABLES = (".csv", ".tsv", ".parquet")
# Endings of structured files, which are never prose → their content.
_ENDINGS = {
    ".json": "JSON object or array",
    ".jsonl": "JSON objects",
    ".ndjson": "JSON objects",
    ".yaml": "YAML",
    ".yml": "YAML",
}
_XML = re.compile(r"<\?xml|<!DOCTYPE|<(?:[\w.-]+:)?([A-Za-z][\w.-]*)(?:\s[^<>]*)?>", re.IGNORECASE)
_ROOT = re.compile(r"<(?![?!])([^\s/>]+)")
_MENTION_FIELDS = frozenset({"left", "right", "document", "concept", "concepts", "cui", "candidates"})
_MENTION_ROW = re.compile(r"[^|\t]+\t\d+\t\d+\t[^\t]+\t[^\t]+(?:\t|$)")
_QUOTED = re.compile(r'\s*"(?:[^"\\]|\\.)*",?\s*$')


def detect(path: str | Path, *, column: bool = False, by_line: bool = False) -> str:
    """The name of the format, one of `readers`. Standard input (`-`) is not consumed.

    column   a column was named, so the file must be a table
    by_line  plain text is read line by line, so a list of names is expected

    JSON Lines with `left`, `right`, `document`, `concept`, `concepts` or `cui` beside `text` are mentions, others
    documents. Raises DataError for a missing or empty file, for content of no readable format, and for a folder without
    `.ann`, `.txt` and `.xmi` files.
    """
    place = Path(path)
    if str(path) != "-" and place.is_dir():
        return _folder(place)
    if is_workbook(path):
        return "table"
    check_unpacked(path)
    if str(path) != "-" and _holds_uima(path):
        return "uima"
    head = _head(path)
    if not head.raw.strip():
        raise DataError("is empty; expected a document. Check the file.", path=path)
    if is_parquet(head.raw):
        return "table"
    if (kind := kind_of(head)) and kind.binary:
        if binary := next((format.name for format in _BINARY if format.fits(head)), ""):
            return binary
        raise not_a_corpus(kind, path)
    name = inner_name(path).lower()
    if name.endswith(ANNOTATIONS) or (name.endswith(".txt") and _has_annotations(place)):
        return "brat"
    proven = _proven(head)
    if column:
        if proven or kind or head.json:
            what = f"read as '{proven}'" if proven else kind.name if kind else "JSON"
            raise DataError(f"is {what}, which has no columns. Name no column.", path=path)
        return "table"
    if proven:
        return proven
    if head.json:
        return _json_format(head, kind, path)
    if kind:
        raise not_a_corpus(kind, path)
    if name.endswith(_TABLES):
        return "table"
    if content := next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), ""):
        raise DataError(
            f"is called {Path(name).suffix}, but holds no {content}. Rename it if it is running text."
            if content.startswith("JSON")
            else f"is called {Path(name).suffix}; {content} is not read. Write the texts as JSON Lines.",
            AS_TEXT,
            path=path,
        )
    _check_prose(head, path, by_line=by_line)
    return "text"


def check_bytes(path: str | Path, format: str) -> None:
    """Raise DataError for a binary file, whatever format the user named; Parquet and workbooks may be tables."""
    if str(path) == "-" or not exists(path) or Path(path).is_dir():
        return  # standard input was inspected or is trusted; for a missing file the reader's error is better
    if (format == "table" and is_workbook(path)) or (format == "uima" and archive.is_archive(path)):
        return
    if format == "brat":
        check_unpacked(path)
    head = _head(path)
    kind = kind_of(head)
    named = [known for known in _BINARY if known.name == format]
    if any(known.fits(head) for known in named):
        return
    if kind and kind.binary and not (is_parquet(head.raw) and format == "table"):
        raise not_a_corpus(kind, path)


def check_text(path: str | Path, *, by_line: bool = False) -> None:
    """Raise DataError for a file that is not running text (with `by_line`, a list of texts or names)."""
    head = _head(path)
    if not head.raw.strip():
        return
    if kind := kind_of(head):
        raise not_a_corpus(kind, path)
    if proven := _proven(head) or ("JSON" if head.json else ""):
        raise DataError(f"looks like {proven}, among plain text files.", Step.SKIP_FILE(), AS_TEXT, path=path)
    _check_prose(head, path, by_line=by_line)


def _head(path: str | Path) -> Head:
    raw = head_of(path, _PEEKED)
    return Head(raw, whole=len(raw) < _PEEKED)


def _holds_uima(path: str | Path) -> bool:
    """Whether it is a zip archive with a document in XMI."""
    return archive.is_archive(path) and any(file.suffix.lower() == ".xmi" for file in archive.members(path))


def _folder(folder: Path) -> str:
    endings = {entry.suffix.lower() for entry in folder.iterdir()}
    if endings & set(ANNOTATIONS):
        return "brat"
    if ".xmi" in endings:
        return "uima"
    if ".txt" in endings:
        return "text"
    present = ", ".join(sorted(ending for ending in endings if ending)) or "no files with an ending"
    raise DataError(
        f"the folder has no .ann, .txt or .xmi files; it has {present}. Name a file, or another folder.",
        path=folder,
    )


def _has_annotations(text_file: Path) -> bool:
    return any(text_file.with_suffix(ending).is_file() for ending in ANNOTATIONS)


def _proven(head: Head) -> str:
    """The format that the content proves, "" for none; exports of annotation tools show it more surely than others."""
    return next((format.name for format in _BY_CERTAINTY if format.fits(head)), "")


def _json_format(head: Head, kind: Kind | None, path: str | Path) -> str:
    """The format of JSON whose keys prove none: documents or mentions, one object a line.

    kind  another possible file type (FHIR …), reported if it has no text

    Raises DataError for JSON of an unknown format, with the keys of its first object, and for documents that are not one
    per line.
    """
    if tool := tool_export(head):
        raise not_a_corpus(tool, path)
    json, record, array = head.json, head.record, head.text.lstrip().startswith("[")
    if json is None or record is None:
        raise DataError(
            'is a JSON array without objects. Expected objects with a "text".'
            if json and array
            else _NO_OBJECT,
            AS_TEXT,
            path=path,
        )
    if not isinstance(record.get("text"), (str, int, float)):
        raise not_a_corpus(kind, path) if kind else _unknown(array, record, path)
    if array or json.layout != "lines":
        command = as_lines(path, array=array)
        raise DataError("is JSON with a text, but not one object per line.", command, path=path)
    return "mentions" if "mentions" not in record and _MENTION_FIELDS & record.keys() else "jsonl"


def _unknown(array: bool, record: Mapping[str, Any], path: str | Path) -> DataError:
    if not record:
        return DataError(_NO_OBJECT, AS_TEXT, path=path)
    return DataError(
        f"is JSON of an unknown format: its first object has no 'text', but the keys {first_few(list(record), _KEYS)}.",
        *text_from(record, path, array=array),
        AS_TEXT,
        path=path,
    )


def not_a_corpus(kind: Kind, path: str | Path) -> DataError:
    """The error for a known file type that is neither text nor a corpus."""
    unread = ", which linnet does not read as text or a corpus" if kind.clause.startswith("is ") else ""
    advice = (*kind.advice.advice, *([] if kind.binary else [AS_TEXT]))
    return DataError(f"{kind.clause}{unread}. {kind.advice.message}".rstrip(), *advice, path=path)


def _pubtator_line(lines: list[str]) -> int | None:
    """The number (from 1) of the first title, abstract or mention line of PubTator; None for none."""
    return next(
        (number for number, line in enumerate(lines, 1) if HEADER.match(line) or _MENTION_ROW.match(line)),
        None,
    )


def _check_prose(head: Head, path: str | Path, *, by_line: bool) -> None:
    """Refuse XML, tables and lists of names: linked as running text, they would give wrong answers."""
    start, lines = head.text.lstrip(), head.rows[:_ROWS]
    if (match := _XML.match(start)) and (match[1] is None or f"</{match[1]}" in start or "/>" in match[0]):
        root = _ROOT.search(start)
        raise DataError(
            f"is XML of an unknown kind (root element <{root[1] if root else '?'}>). Expected BioC or UIMA XMI. "
            "Write the texts as plain text or JSON Lines.",
            AS_TEXT,
            path=path,
        )
    rows = [line for line in lines if line.strip()]
    if (number := _pubtator_line(lines)) is not None:
        raise DataError(
            f"line {number} is PubTator, but the file does not begin with a title (ID|t|title). Remove everything before the "
            "first title.",
            AS_TEXT,
            path=path,
        )
    if len(rows) > 1 and all(map(_QUOTED.match, rows)):
        raise DataError(
            f"holds JSON strings, one per line, such as {rows[0].strip()[:60]}. Remove the quotation marks: jq -r . "
            f"{'FILE' if str(path) == '-' else shlex.quote(str(path))} > NEW.txt",
            AS_TEXT,
            path=path,
        )
    if (number := odd_row(lines)) is not None:
        raise DataError(
            f"looks like CoNLL, but line {number} is not a token and its tag in as many columns as the others: "
            f"'{lines[number - 1].strip()[:60]}'. Correct it.",
            Step.READ_AS(format="conll"),
            AS_TEXT,
            path=path,
        )
    if table := table_columns(rows, names=by_line):
        columns, separator = table
        shown = first_few([f"'{name[:40]}'" for name in columns], _SHOWN)
        raise DataError(
            f"looks like a table: cells separated by {separator}, the first line with {shown}.",
            Step.NAME_COLUMN(),
            AS_TEXT,
            path=path,
        )
    if not by_line and is_list_of_names(lines):
        raise DataError(
            f"looks like a list of names: short lines that are no sentences, such as '{rows[0].strip()}'.",
            Step.READ_LINES(),
            AS_TEXT,
            path=path,
        )
