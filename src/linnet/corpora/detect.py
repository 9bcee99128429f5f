"""Detection of the format of a file from its first bytes and its name, without guessing.

The content must prove the format. Running text without signs of structure is `text`. Content with signs of structure that
proves no format is refused with DataError: what it looks like, its columns or keys, and the next command.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from linnet.corpora.conll_rows import looks_like_conll, odd_row
from linnet.corpora.json_head import first_object
from linnet.corpora.marks import ANNOTATIONS, HEADER, WEBANNO
from linnet.corpora.not_a_corpus import AS_TEXT, not_a_corpus
from linnet.corpora.packed_brat import check_unpacked
from linnet.corpora.shape import is_list_of_names, table_columns
from linnet.errors import DataError
from linnet.io import archive
from linnet.io.file_kinds import is_parquet, kind_of
from linnet.io.files import exists, head_of, inner_name, text_of_head
from linnet.io.workbook import is_workbook
from linnet.listing import first_few

__all__ = ["check_bytes", "check_text", "detect"]

_PEEKED = 1 << 16
_ROWS = 200  # lines inspected
_SHOWN = 12  # columns that a message lists
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
_BIOC = re.compile(r"<!DOCTYPE\s+collection|<collection\s*>|BioC\.dtd|<passage\b")
_ROOT = re.compile(r"<(?![?!])([^\s/>]+)")
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
    head = head_of(path, _PEEKED)
    if not head.strip():
        raise DataError("is empty; expected a document. Check the file.", path=path)
    if is_parquet(head):
        return "table"
    if (kind := kind_of(head)) and kind.binary:
        raise not_a_corpus(kind, path)
    text = text_of_head(head)
    name = inner_name(path).lower()
    if name.endswith(ANNOTATIONS) or (name.endswith(".txt") and _has_annotations(place)):
        return "brat"
    proven = _proven(text, whole=len(head) < _PEEKED)
    if column:
        if proven or kind or first_object(text):
            what = f"read as '{proven}'" if proven else kind.name if kind else "JSON"
            raise DataError(
                f"is {what}, which has no columns. Leave out the options that name columns.", path=path
            )
        return "table"
    if proven:
        return proven
    if first := first_object(text):
        from linnet.corpora.json_formats import json_format

        return json_format(first, kind, path)
    if kind:
        raise not_a_corpus(kind, path)
    if name.endswith(_TABLES):
        return "table"
    if content := next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), ""):
        raise DataError(
            f"is called {Path(name).suffix}, but holds no {content}. Rename it if it is running text. {AS_TEXT}"
            if content.startswith("JSON")
            else f"is called {Path(name).suffix}; {content} is not read. Write the texts as JSON Lines. {AS_TEXT}",
            path=path,
        )
    _check_prose(text, _lines(text, whole=len(head) < _PEEKED), path, by_line=by_line)
    return "text"


def check_bytes(path: str | Path, format: str) -> None:
    """Raise DataError for a binary file, whatever format the user named; Parquet and workbooks may be tables."""
    if str(path) == "-" or not exists(path) or Path(path).is_dir():
        return  # standard input was inspected or is trusted; for a missing file the reader's error is better
    if (format == "table" and is_workbook(path)) or (format == "uima" and archive.is_archive(path)):
        return
    if format == "brat":
        check_unpacked(path)
    head = head_of(path, _PEEKED)
    kind = kind_of(head)
    if kind and kind.binary and not (is_parquet(head) and format == "table"):
        raise not_a_corpus(kind, path)


def check_text(path: str | Path, *, by_line: bool = False) -> None:
    """Raise DataError for a file that is not running text (with `by_line`, a list of texts or names)."""
    head = head_of(path, _PEEKED)
    if not head.strip():
        return
    if kind := kind_of(head):
        raise not_a_corpus(kind, path)
    text = text_of_head(head)
    if proven := _proven(text, whole=len(head) < _PEEKED) or ("JSON" if first_object(text) else ""):
        raise DataError(
            f"looks like {proven}, among plain text files. Link it separately, or leave it out with --on-error skip. {AS_TEXT}",
            path=path,
        )
    _check_prose(text, _lines(text, whole=len(head) < _PEEKED), path, by_line=by_line)


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


def _proven(text: str, *, whole: bool) -> str:
    """The format that the content proves, "" for none; for JSON see `json_format`."""
    if text.startswith(WEBANNO):
        return "webanno"
    if text.lstrip().startswith("<"):
        if "http://www.omg.org/XMI" in text and ":XMI" in text:
            return "uima"
        if _BIOC.search(text):
            return "bioc"
    lines = _lines(text, whole=whole)
    first = next((line for line in lines if line.strip()), "")
    if HEADER.match(first):
        return "pubtator"
    return "conll" if looks_like_conll(lines) else ""


def _lines(text: str, *, whole: bool) -> list[str]:
    """The first lines, without the last one if it is cut off."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return (lines if whole or len(lines) == 1 else lines[:-1])[:_ROWS]


def _pubtator_line(lines: list[str]) -> int | None:
    """The number (from 1) of the first title, abstract or mention line of PubTator; None for none."""
    return next(
        (number for number, line in enumerate(lines, 1) if HEADER.match(line) or _MENTION_ROW.match(line)),
        None,
    )


def _check_prose(text: str, lines: list[str], path: str | Path, *, by_line: bool) -> None:
    """Refuse XML, tables and lists of names: linked as running text, they would give wrong answers."""
    start = text.lstrip()
    if (match := _XML.match(start)) and (match[1] is None or f"</{match[1]}" in start or "/>" in match[0]):
        root = _ROOT.search(start)
        raise DataError(
            f"is XML of an unknown kind (root element <{root[1] if root else '?'}>). Expected BioC or UIMA XMI. "
            f"Write the texts as plain text or JSON Lines. {AS_TEXT}",
            path=path,
        )
    rows = [line for line in lines if line.strip()]
    if (number := _pubtator_line(lines)) is not None:
        raise DataError(
            f"line {number} is PubTator, but the file does not begin with a title (ID|t|title). Remove everything before the "
            f"first title. {AS_TEXT}",
            path=path,
        )
    if len(rows) > 1 and all(map(_QUOTED.match, rows)):
        raise DataError(
            f"holds JSON strings, one per line, such as {rows[0].strip()[:60]}. Remove the quotation marks: jq -r . "
            f"{'FILE' if str(path) == '-' else shlex.quote(str(path))} > NEW.txt {AS_TEXT}",
            path=path,
        )
    if (number := odd_row(lines)) is not None:
        raise DataError(
            f"looks like CoNLL, but line {number} is not a token and its tag in as many columns as the others: "
            f"'{lines[number - 1].strip()[:60]}'. Correct it, or leave it out: --input-format conll --on-error skip. {AS_TEXT}",
            path=path,
        )
    if table := table_columns(rows, names=by_line):
        columns, separator = table
        shown = first_few([f"'{name[:40]}'" for name in columns], _SHOWN)
        raise DataError(
            f"looks like a table: cells separated by {separator}, the first line with {shown}. If that is the "
            f"header, name the column to link: --column NAME. {AS_TEXT}",
            path=path,
        )
    if not by_line and is_list_of_names(lines):
        raise DataError(
            f"looks like a list of names: short lines that are no sentences, such as '{rows[0].strip()}'. "
            f"To link each line as a name: --mentions. To read each line as a text: --lines. {AS_TEXT}",
            path=path,
        )
