"""Any CSV or TSV by named or numbered columns, and the tables SPARQL endpoints answer with.

One row a concept or one row a name: rows of one id are united.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from linnet.curies import curie
from linnet.errors import DataError, RequestError
from linnet.files import read_lines
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entries, Entry
from linnet.terminology.readers.options import DEFAULTS, ReadOptions
from linnet.terminology.readers.rows import columns_of, delimiter_of, split
from linnet.types import Concept

__all__ = ["ROLES", "read_table", "usual_columns"]

ROLES = (
    "id",
    "name",
    "synonyms",
    "types",
    "definition",
    "parents",
    "xrefs",
    "sources",
    "replaced_by",
    "relation",
)
# Column names taken for a role when `columns` does not say; compared without case and leading "?".
_USUAL = {
    "id": ("id", "curie", "identifier", "concept_id", "code"),
    "name": ("name", "label", "preferred_name", "term", "text"),
    "synonyms": ("synonyms", "synonym", "names", "aliases"),
    "types": ("types", "type"),
    "definition": ("definition", "description"),
    "parents": ("parents", "parent", "parent_id"),
    "xrefs": ("xrefs", "xref"),
    "sources": ("sources",),
    "replaced_by": ("replaced_by",),
}
# What the relation column says where the parents column holds a broader concept, as the end of a CURIE or IRI.
_BROADER = ("subclassof", "is_a", "isa", "broader", "broadmatch")
_LITERAL = re.compile(r'^"(.*)"(?:@[A-Za-z-]+|\^\^\S+)?$')


def read_table(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts by first appearance. The first name of an id is the preferred one, later ones are further names.

    Roles not named in `columns` are filled from columns with the usual names (id, name or label, synonyms, type,
    definition, parents, xrefs), unless `columns` holds numbers. Without a name column the rows only add parents,
    xrefs and the like to concepts that another file names. With a `relation` column, parents count in rows that
    say is_a, subClassOf or broader. `<http://…/HP_0011412>` and quoted literals are understood; lines that begin
    with `#` before the header are skipped.
    Raises DataError naming the line of a row of another width, or without an id.
    """
    unknown = set(options.columns) - set(ROLES)
    if unknown:
        raise RequestError(f"No such role '{min(unknown)}' for a column. Choose from: {', '.join(ROLES)}.")
    entries = Entries()
    places: dict[str, int] = {}
    width = 0
    for number, cells in _rows(path, options):
        if not places:
            numbered = all(isinstance(column, int) for column in options.columns.values())
            headed = options.header if options.header is not None else not (options.columns and numbered)
            places = _places(cells, options, headed, path, number)
            width = len(cells)
            if headed:
                continue
        if len(cells) != width:
            options.malformed(f"row has {len(cells)} columns; expected {width}.", path=path, line=number)
            continue
        id = curie(_value(cells[places["id"]]), prefix=options.prefix)
        if not id:
            options.malformed("row without an id.", path=path, line=number)
            continue
        _add(entries[id], {role: cells[place] for role, place in places.items()}, options)
    yield from entries.concepts()


def usual_columns(header: Sequence[str]) -> dict[str, int]:
    """Role → position of the column that has a usual name for it."""
    plain = [cell.lstrip("?").strip().lower() for cell in header]
    found = {}
    for role, names in _USUAL.items():
        place = next((plain.index(name) for name in names if name in plain), None)
        if place is not None:
            found[role] = place
    return found


def _rows(path: Path, options: ReadOptions) -> Iterator[tuple[int, list[str]]]:
    lines = read_lines(path)
    numbered = options.columns and all(isinstance(column, int) for column in options.columns.values())
    delimiter = options.delimiter
    started = bool(numbered)
    for number, line in lines:
        if not line.strip() or (not started and line.startswith("#")):
            continue
        started = True
        delimiter = delimiter or delimiter_of(line)
        if delimiter == "\t":
            yield number, split(line, delimiter)
            continue
        start = number
        while line.count('"') % 2:  # a quoted cell goes on in the next line
            more = next(lines, None)
            if more is None:
                options.malformed("a quote is opened and never closed.", path=path, line=start)
                return
            line += "\n" + more[1]
        try:
            yield start, next(csv.reader([line], delimiter=delimiter, strict=True, skipinitialspace=True))
        except csv.Error as error:
            said = (
                f"a field of more than {csv.field_size_limit():,} characters. Is a quote opened and closed in the wrong place?"
                if "field limit" in str(error)
                else f"not CSV: {error}."
            )
            options.malformed(said, path=path, line=start)


def _places(cells: list[str], options: ReadOptions, headed: bool, path: Path, line: int) -> dict[str, int]:
    places = {}
    if headed and not any(isinstance(column, int) for column in options.columns.values()):
        places = usual_columns(cells)
    plain = [cell.lstrip("?#").strip() for cell in cells]
    for role, column in options.columns.items():
        if isinstance(column, int):
            if not 1 <= column <= len(cells):
                raise DataError(f"no column {column}; the row has {len(cells)}.", path=path, line=line)
            places[role] = column - 1
        elif headed:
            places[role] = columns_of(plain, [column.lstrip("?#").strip()], path=path, line=line)[0]
        else:
            raise RequestError(f"Column '{column}' is named but the table has no header. Give its number.")
    folded = [cell.lower() for cell in plain]
    told = [plain[at] for role, at in places.items() if headed and role not in options.columns]
    twice = next((name for name in told if folded.count(name.lower()) > 1), None)
    if twice is not None:
        raise DataError(
            f"the column '{twice}' is there twice; one of them would be passed over. Rename it: further names are 'synonyms'.",
            path=path,
            line=line,
        )
    if "id" not in places:
        raise DataError(
            f"which column holds the ids? Columns: {', '.join(plain)}. Name it: --columns id=NAME (or id=NUMBER).",
            path=path,
            line=line,
        )
    if len(places) == 1:
        raise DataError(
            f"which column holds the names? Columns: {', '.join(plain)}. Name it: --columns name=NAME.",
            path=path,
            line=line,
        )
    return places


def _add(entry: Entry, cells: dict[str, str], options: ReadOptions) -> None:
    for role, cell in cells.items():
        if role in ("id", "relation") or not cell:
            continue
        if role == "parents" and not _value(cells.get("relation", "isa")).lower().endswith(_BROADER):
            continue
        if role == "name":
            entry.names.append(clean(_value(cell)))
        elif role == "definition":
            entry.definition = entry.definition or clean(_value(cell))
        else:
            values = cell.split(options.separator) if options.separator else [cell]
            plain = [value for value in (_value(value) for value in values) if value]
            if role == "synonyms":
                entry.names.extend(map(clean, plain))
            elif role in ("types", "sources"):
                getattr(entry, role).extend(plain)
            else:
                getattr(entry, role).extend(curie(value, prefix=options.prefix) for value in plain)


def _value(cell: str) -> str:
    cell = cell.strip()
    if cell.startswith("<") and cell.endswith(">"):
        return cell[1:-1]
    match = _LITERAL.match(cell) if cell.startswith('"') else None
    return match.group(1).replace('\\"', '"') if match else cell
