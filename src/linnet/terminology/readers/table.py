"""Any CSV, TSV or workbook by named or numbered columns, including results of SPARQL endpoints.

One row per concept or one row per name: rows with one id are united.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from linnet.advice import Step
from linnet.io.workbook import ExcelDate
from linnet.listing import tally
from linnet.plural import counted
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.column_roles import Columns
from linnet.terminology.readers.entry import Entries, Entry
from linnet.terminology.readers.missing_values import MissingValues, is_missing_id
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.terminology.readers.plan import LISTS, plan_table
from linnet.terminology.readers.retired_words import RETIRED
from linnet.terminology.readers.separators import Separators
from linnet.terminology.readers.spreadsheet_damage import DecimalIds, ShortIds, damage
from linnet.types import Concept
from linnet.words.curies import curie

__all__ = ["read_table"]

# Ends of the CURIE or IRI in the relation column if the parents column holds a broader concept.
_BROADER = ("subclassof", "is_a", "isa", "broader", "broadmatch")
_LITERAL = re.compile(r'^"(.*)"(?:@[A-Za-z-]+|\^\^\S+)?$')
_FLAGS = frozenset({"true", "1", "yes", "y", "t"})
_CURRENT = frozenset(
    {"", "false", "0", "no", "n", "f", "active", "current", "approved", "valid", "released", "official"}
)
_YEAR = re.compile(r"(?:19|20)\d\d\b.*")
_AS_TEXT = "Excel turns gene names such as MARCH1 into dates, and long codes into numbers. Correct the cell and format the column as text."


def read_table(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts by first appearance. The first value of the name column is preferred; synonyms are further names.

    Roles missing from `columns` are filled from columns with the usual names (`column_roles`), unless `columns` holds
    numbers. Without columns of names and synonyms, the rows only add parents, xrefs and the like to concepts that
    another file names. With a `relation` column, parents count only in rows with is_a, subClassOf or broader. Obsolete
    rows become retired ids of their replacements; without one they are left out and counted, unless `suppressed`.
    IRIs (`<http://…/HP_0011412>`) and quoted literals are understood; lines with `#` before the header are skipped. Of
    a workbook, `sheet` is read, by default the first.
    Raises DataError with the line for a row of another width, a row without an id, and a concept without a name.
    """
    file = SourceFile(path, options)
    planned = plan_table(file)
    if planned is None:
        return
    plan, body = planned
    reading = _Reading(plan.columns, plan.separators, plan.missing, file)
    for number, cells in body:
        if len(cells) != plan.width:
            file.malformed(f"row has {len(cells)} columns; expected {plan.width}.", number)
            continue
        reading.add(number, cells)
    if plan.columns.header:
        plan.columns.tell(file)
        for note in plan.separators.notes(plan.columns.header, plan.lists):
            file.tell(note.message, *note.advice)
    yield from reading.concepts()


class _Reading:
    """Collects the concepts of a table row by row."""

    def __init__(
        self, columns: Columns, separators: Separators, missing: MissingValues, file: SourceFile
    ) -> None:
        self._columns, self._separators, self._missing = columns, separators, missing
        self._file, self._options = file, file.options
        self._entries = Entries()
        self._preferred: dict[str, dict[str, None]] = {}
        self._obsolete = 0
        self._bare = ""  # the first id without a prefix
        self._by_shape: set[str] = set()  # prefixes added to bare ids because of their shape
        self._barred: dict[str, None] = {}  # names with "|"
        self._lines: dict[str, int] = {}  # lines of concepts that have synonyms but no name yet
        self._read = sorted(
            {position for role, positions in columns.places.items() if role != "id" for position in positions}
        )
        self._decimals, self._short = DecimalIds(), ShortIds()
        self._statuses: Counter[str] = Counter()  # of the rows that were read, those that say nothing known

    def add(self, number: int, cells: list[str]) -> None:
        """Add a row."""
        (at,) = self._columns.places["id"]
        if isinstance(cells[at], ExcelDate):
            self._file.malformed(_of_date(cells[at]), number)
            return
        written = _value(cells[at])
        if is_missing_id(written):
            problem = f": the cell holds '{written}', which stands for nothing" if written else ""
            self._file.malformed(f"row without an id{problem}.", number)
            return
        if damaged := damage(written):
            self._file.malformed(f"the id '{written}' {damaged}. {_AS_TEXT}", number)
            return
        id = self._curie(written, at)
        self._decimals.add(written)
        self._short.add(id)
        cells = self._missing.emptied(cells, self._read)
        if not self._bare and ":" not in id:
            self._bare = id
        elif len(id) > len(written) and not self._options.prefix and at not in self._columns.prefixes:
            self._by_shape.add(id.partition(":")[0])
        roles = self._columns.places
        if not self._options.suppressed and self._is_obsolete(cells):
            roles = {role: positions for role, positions in roles.items() if role == "replaced_by"}
            if not any(cells[position] for positions in roles.values() for position in positions):
                self._obsolete += 1
                return
        entry = self._entries[id]
        for role, positions in roles.items():
            for position in positions:
                if not cells[position]:
                    continue
                if role in ("name", "synonyms") and isinstance(cells[position], ExcelDate):
                    self._file.malformed(_of_date(cells[position]), number)
                    continue
                self._add_cell(entry, role, cells, position, number)
        if "name" in self._columns.places:
            if id in self._preferred:
                self._lines.pop(id, None)
            elif entry.names:
                self._lines.setdefault(id, number)

    def _add_cell(self, entry: Entry, role: str, cells: list[str], position: int, number: int) -> None:
        cell = cells[position]
        if role == "name":
            name = self._whole(clean(_value(cell)), number)
            if "|" in name:
                self._barred[name] = None
            if name:
                self._preferred.setdefault(entry.id, {})[name] = None
        elif role == "definition":
            entry.definition = entry.definition or clean(_value(cell))
        elif role in LISTS:
            if role == "parents" and not self._is_broader(cells):
                return
            values = [value for value in map(_value, self._separators.split(cell, position)) if value]
            if role == "synonyms":
                entry.names.extend(self._whole(clean(value), number) for value in values)
            elif role in ("types", "sources"):
                getattr(entry, role).extend(map(_last_part, values))
            else:
                getattr(entry, role).extend(self._curie(value, position) for value in values)

    def _whole(self, name: str, number: int) -> str:
        """The name; "" for what is left of one that a spreadsheet has changed."""
        if damaged := damage(name):
            self._file.malformed(f"the name '{name}' {damaged}. {_AS_TEXT}", number)
            return ""
        return name

    def _is_obsolete(self, cells: list[str]) -> bool:
        for place in self._columns.places.get("obsolete", ()):
            value = _value(cells[place]).lower()
            # a status of "1" or "yes" may mean the opposite
            status = self._columns.header and self._columns.header[place].lower() == "status"
            if value in RETIRED or (not status and (value in _FLAGS or _YEAR.fullmatch(value))):
                return True
            if value not in _CURRENT:
                self._statuses[_value(cells[place])] += 1
        return False

    def _is_broader(self, cells: list[str]) -> bool:
        """Whether the parents column holds broader concepts, according to the relation column if there is one."""
        positions = self._columns.places.get("relation", ())
        return all(_value(cells[position]).lower().endswith(_BROADER) for position in positions)

    def _curie(self, value: str, position: int) -> str:
        own = self._columns.prefixes.get(position, "")
        bare = bool(value) and ":" not in value
        return curie(value, prefix=self._options.prefix if not own or not bare else own)

    def concepts(self) -> Iterator[Concept]:
        """The finished concepts; those with synonyms but no name are malformed."""
        if problem := self._decimals.problem():
            raise self._file.error(problem)
        for id, line in self._lines.items():
            self._file.malformed(f"{id} has synonyms but no name.", line)
            del self._entries[id]
        if self._obsolete:
            self._file.tell(
                f"{counted(self._obsolete, 'obsolete rows were left out')}.", Step.READ_THEM(suppressed=True)
            )
        if self._statuses:
            (place,) = self._columns.places["obsolete"]
            column = self._columns.header[place] if self._columns.header else f"column {place + 1}"
            self._file.tell(
                f"{column} does not tell for {counted(self._statuses.total(), 'rows')} whether they are obsolete, so they were read: "
                f"{tally(self._statuses, 5)}. Rows to leave out say e.g. 'obsolete' or 'retired'."
            )
        for note in (self._missing.note(), self._short.note()):
            if note:
                self._file.tell(note)
        if self._bare:
            prefixes = sorted(self._by_shape)
            others = f"; others got {', '.join(prefixes)} because of their shape" if prefixes else ""
            prefix = prefixes[0] if len(prefixes) == 1 else "NAME"
            self._file.tell(
                f"ids without a prefix, e.g. '{self._bare}', are kept as they are{others}.",
                Step.READ_OTHERWISE(prefix=prefix),
            )
        if self._barred:
            whole = "preferred names hold '|' and were read whole"
            self._file.tell(
                f"{counted(len(self._barred), whole)}, e.g. '{next(iter(self._barred))[:60]}'. "
                "If '|' separates several names, put the preferred ones in a separate column."
            )
        several: dict[str, list[str]] = {}
        for id, names in self._preferred.items():
            if id in self._entries:
                self._entries[id].names[:0] = names
                if len(names) > 1 and len({name.casefold() for name in names}) > 1:
                    several[id] = list(names)
        if several:
            id, (first, other, *_) = next(iter(several.items()))
            self._file.tell(
                f"{counted(len(several), 'ids that have')} several names in rows of their own, e.g. {id}: '{first}' and '{other}'. "
                "The first became the preferred name, the others synonyms. If they are not names of one thing, choose another id column.",
                Step.READ_OTHERWISE(columns={"id": "COLUMN"}),
            )
        yield from self._entries.concepts()


def _last_part(value: str) -> str:
    """The end of an IRI (BioPortal's semantic types: ".../STY/T047"); other values unchanged."""
    return re.split(r"[/#]", value)[-1] if value.startswith(("http://", "https://")) else value


def _of_date(cell: str) -> str:
    return f"expected an id or name, got an Excel date ({cell}). {_AS_TEXT}"


def _value(cell: str) -> str:
    cell = cell.strip()
    if cell.startswith("<") and cell.endswith(">"):
        return cell[1:-1]
    match = _LITERAL.match(cell) if cell.startswith('"') else None
    return match.group(1).replace('\\"', '"') if match else cell
