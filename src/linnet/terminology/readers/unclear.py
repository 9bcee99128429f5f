"""Messages for a file whose content proves no format: what it looks like, and the next command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from linnet.advice import Advice, Step
from linnet.errors import DataError
from linnet.formats import Head, formats
from linnet.formats.kinds import Kind, first_line_kind, late_kind
from linnet.io.files import read_text
from linnet.io.json import parse_json
from linnet.listing import first_few
from linnet.terminology.readers.column_roles import usual_columns
from linnet.terminology.readers.signatures import is_json

__all__ = ["FORMATS", "NAME_FORMAT", "refuse_kind", "refuse_known", "unclear"]

_CONSO = {"cui", "sab", "str"}
_SENTENCE = re.compile(r"\w+ \w+ \w+.*[.!?](?:\s+[A-Z]|\s*$)")
FORMATS = f"Formats: {', '.join(formats('terminology'))}."
NAME_FORMAT = Step.READ_WITH(format="NAME")
_FIELDS = Step.READ_WITH(format="jsonl", columns={"id": "FIELD", "name": "FIELD"})
_COLUMNS = {"id": "COLUMN", "name": "COLUMN"}
_BY_NUMBER = " (without a header by number: id=1 name=2)"
_SHOWN = 12  # columns or fields that a message lists
# A terminology has at most one of these fields.
_ANNOTATED = frozenset({
    "text", "mentions", "entities", "spans", "denotations", "annotations", "passages", "documents", "label", "left", "right",
    "document", "tokens", "tracks", "sourcedb", "candidates",
})  # fmt: skip


def refuse_kind(path: Path, kind: Kind | None) -> None:
    """Raise DataError for a kind of file that cannot be a terminology."""
    if kind is not None and (kind.binary or kind.terminology_advice):
        raise _refused(kind, path, ", which linnet does not read as a terminology")


def _refused(kind: Kind, path: Path, unread: str = "") -> DataError:
    advice = kind.terminology_advice or kind.advice
    names = {"{name}": path.name, "{stem}": path.name.removesuffix(path.suffix)}
    next_step = re.sub(r"\{name\}|\{stem\}", lambda match: names[match[0]], advice.message)
    return DataError(f"{kind.clause}{unread}. {next_step}".rstrip(), *advice.advice, path=path)


def refuse_known(head: Head, path: Path) -> None:
    """Raise DataError for a known file, recognised by its columns or fields, that cannot be read as it is."""
    if head.names >= _CONSO and not head.record:
        raise _conso(head, path)
    if (kind := late_kind(head)) and kind.terminology_advice:
        raise _refused(kind, path)


def _conso(head: Head, path: Path) -> DataError:
    """The next command for an MRCONSO with a header, as exported from a database."""
    what = "is UMLS's MRCONSO with a line of column names."
    cells = head.header[0].split("|") if len(head.header) == 1 else head.header
    if len(cells) not in (18, 19):
        return DataError(
            f"{what} It lacks the columns for language and preferred name, so its rows are names of equal rank.",
            Step.READ_WITH(format="table", columns={"id": "CUI", "name": "STR"}, prefix="UMLS"),
            path=path,
        )
    if len(head.header) == 1:
        return DataError(f"{what} Remove that line: tail -n +2 {path.name} > NEW.rrf", path=path)
    tab = ", delimiter='\\t'" if "\t" in head.lines[0] else ""
    return DataError(
        f"{what} Convert it to UMLS's format: python3 -c \"import csv; rows = csv.reader(open('{path.name}', encoding='utf-8')"
        f"{tab}); next(rows); [print('|'.join(row)) for row in rows]\" > NEW.rrf",
        path=path,
    )


def unclear(head: Head, path: Path) -> DataError:
    """The error for a text whose beginning fits no format."""
    if is_json(head) or re.match(r"\s*[\[{]", head.text):
        if head.json and head.record is None:
            parse_json(read_text(path), path, repeated=True)  # the error says where it is damaged
        message, *advice = _json(head, path.name)
        return DataError(message, *advice, path=path)
    if head.text.lstrip().startswith("<") and re.search(r"</|/>", head.text):
        return DataError(
            f"is XML with the root element <{head.xml_root or '?'}>; linnet reads MeSH and ICD-10-CM from XML. "
            "Convert it to a table with the columns id, name, synonyms.",
            path=path,
        )
    if kind := first_line_kind(head):
        return _refused(kind, path)
    message, *advice = _text(head)
    return DataError(message, *advice, path=path)


def _json(head: Head, name: str) -> tuple[str, *tuple[Advice, ...]]:
    fields = head.record or {}
    if not fields:
        return (
            "is JSON, but neither objects nor an array of objects. Expected one object per line: "
            '{"id": "X:1", "name": "gout", "synonyms": ["podagra"]}',
        )
    listed = _listed(list(fields))
    if len(_ANNOTATED & fields.keys()) > 1:
        return (
            f"looks like annotated text (fields: {listed}), not like a terminology. `linnet link` and `linnet evaluate` "
            "read text; if it is a terminology, name its fields.",
            _FIELDS,
        )
    if all(re.search(r"\d", field) for field in fields) and not all(
        isinstance(v, dict) for v in fields.values()
    ):
        what = "names" if any(isinstance(value, list) for value in fields.values()) else "name"
        return (
            f"is one JSON object whose fields look like ids: {listed}. Make each a concept: "
            f"jq -c 'to_entries[] | {{id: .key, {what}: .value}}' {name} > NEW.jsonl",
        )
    lists = [field for field, value in fields.items() if isinstance(value, list)]
    inner = ""
    if len(lists) == 1 and not head.text.lstrip().startswith("["):
        unpacked = f"gzip -dc {name} | jq" if name.endswith(".gz") else "jq"
        source = "" if name.endswith(".gz") else f" {name}"
        inner = f" If the concepts are in '{lists[0]}', extract them: {unpacked} -c '.{lists[0]}[]'{source} > NEW.jsonl"
    return (
        f"is JSON of no known kind; fields of the first object: {listed}. Name those with ids and names.{inner}",
        _FIELDS,
    )


def _text(head: Head) -> tuple[str, *tuple[Advice, ...]]:
    if not head.lines:
        return f"the first lines show no format. {FORMATS}", NAME_FORMAT
    first = head.lines[0]
    bars = first.count("|")
    if "||" in first and not first.startswith("#"):
        return (
            f"has rows with `||`, but its first lines are not all `id||name|synonym…`: '{_short(first)}'. Use that layout "
            "(an id holds a digit), or make it a tab-separated table with the columns id, name, synonyms.",
        )
    if bars and not any(mark in first for mark in "\t;"):
        cells = [cell.strip() for cell in first.split("|")]
        usual = usual_columns(cells)
        roles = {role: cells[place] for role, place in usual.items()} if len(usual) > 1 else {}
        return (
            f"has rows of {bars + 1} columns separated by '|': '{_short(first)}'. If it is a table, name the columns of ids "
            f"and names{'' if roles else _BY_NUMBER}.",
            Step.READ_WITH(format="table", delimiter="|", columns=roles or _COLUMNS),
        )
    if "\t" not in first and _SENTENCE.search(first):
        return (
            f"looks like running text: '{_short(first)}'. A terminology holds ids and names; `linnet link` and "
            "`linnet evaluate` read text.",
        )
    if len(head.header) > 1 and len(first) < 2000:
        names = _listed([cell or "(empty)" for cell in head.header])
        text_alone = {"id", "text"} <= {cell.lower() for cell in head.header}
        why = "may hold names or documents" if text_alone else "shows no format by its first line"
        return (
            f"{why}; columns: {names}. If it is a table, name the columns of ids and names{_BY_NUMBER}. "
            f"{FORMATS}",
            Step.READ_WITH(format="table", columns=_likely(head.header) or _COLUMNS),
        )
    if len(head.header) == 1 and len(first) < 200 and "|" not in first:
        return (
            f"each line holds one value, e.g. '{_short(first)}'; a terminology has an id and a name per line. "
            f"Write a table with the columns id and name, or name the format. {FORMATS}",
            NAME_FORMAT,
        )
    return f"the first lines show no format: '{_short(first)}'. {FORMATS}", NAME_FORMAT


def _likely(header: Sequence[str]) -> dict[str, str]:
    """The columns that probably hold ids and names, judged by the ends of their names; none if one is missing."""
    id = next(
        (cell for cell in header if re.search(r"(?:id|code|cui|unii|[iu]ri)$", cell, re.IGNORECASE)), ""
    )
    name = next((cell for cell in header if re.search(r"(?:name|label|term)$", cell, re.IGNORECASE)), "")
    return {"id": id, "name": name} if id and name else {}


def _listed(names: list[str]) -> str:
    return first_few(list(map(_short, names)), _SHOWN)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"
