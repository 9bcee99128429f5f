"""Decisions that were made elsewhere: a reader for each format, and one call that takes what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from linnet.corpora.table_rows import table_cells
from linnet.errors import DataError, LinnetError, RequestError, UnknownIdError, UnknownNameError
from linnet.mapping.decisions import Decision, Event, Target
from linnet.mapping.folder import Folder
from linnet.mapping.imports.made import Made
from linnet.mapping.rows import Row
from linnet.registry import imported
from linnet.words.curies import bare

__all__ = ["Imported", "detect", "readers", "take"]

Reader = Callable[..., Iterator[Made]]
"""`reader(path)`: yields what was decided of each code, in the order of the file; raises DataError with the row."""

readers: dict[str, str] = {
    "sssom": "linnet.mapping.imports.sssom:read_sssom",
    "table": "linnet.mapping.imports.table:read_table",
    "usagi": "linnet.mapping.imports.usagi:read_usagi",
}
_SHEET = "mapping"


@dataclass(slots=True)
class Imported:
    """What became of the decisions in a file.

    taken      rows with a new decision
    same       rows that had this decision already
    conflicts  rows of which something else was decided here: nothing was changed
    strange    what the mapping does not have: codes, strings, concepts
    """

    taken: int = 0
    same: int = 0
    conflicts: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)


def take(mapping: Folder, path: str | Path, *, format: str | None = None, by: str = "") -> Imported:
    """Append the decisions of a file to the log, with who made them and when. What was decided here is never overwritten.

    format  a name in `readers`; None: detected from the columns
    by      who decided, where the file does not say

    All or nothing: raises DataError with the row for a file that cannot be read, and has taken nothing then.
    """
    if format is not None and format not in readers:
        raise UnknownNameError("format of decisions", format, readers)
    reader: Reader = imported(readers[format or detect(path)])
    result = Imported()
    entries: dict[int, Decision] = {}
    begun = mapping.store.newest()
    for made in reader(path):
        rows = _rows(mapping, made)
        if not rows:
            what = f"code '{made.code}'" if made.code else f"text '{made.text}'"
            result.strange.append(f"{made.place}: no row has the {what}")
            continue
        try:
            targets = [mapping.target(id)._replace(type=type) for id, type in made.targets]
        except UnknownIdError as error:
            result.strange.append(f"{made.place}: {error.happened}")
            continue
        for row in rows:
            new = _entry(row, made, targets, by, Path(path).name)
            here = entries.get(row.number) or (None if row.state.returned else row.state.decision)
            if here is None:
                entries[row.number] = new
            elif here.says == new.says:
                result.same += 1
            else:
                result.conflicts.append(_conflict(made.place, row, here, new))
    with mapping.store.changing():
        for row in mapping.store.rows([*mapping.store.decided_since(begun).keys() & entries]):
            here, new = row.state.decision, entries.pop(row.number)
            if here is not None:
                result.conflicts.append(_conflict("decided meanwhile", row, here, new))
        mapping.store.append(entries.values())
    result.taken = len(entries)
    return result


def detect(path: str | Path) -> str:
    """The format of a file, by its columns. Raises RequestError if it is none."""
    if str(path).lower().endswith(".sssom.tsv") or _first_line(path).startswith(("#", "subject_id\t")):
        return "sssom"
    columns, _ = table_cells(path, sheet=_SHEET if str(path).lower().endswith(".xlsx") else None)
    for format, wanted in (("usagi", {"sourceCode", "conceptId"}), ("table", {"status", "concepts"})):
        if wanted <= set(columns):
            return format
    raise RequestError(
        f"{path}: no decisions that linnet reads. Expected a file of Usagi (sourceCode, conceptId …), SSSOM, or a table of "
        f"`linnet map export` (status, concepts …); its columns are: {', '.join(columns[:20])}."
    )


def _first_line(path: str | Path) -> str:
    try:
        with Path(path).open(encoding="utf-8") as stream:
            return stream.readline(1 << 12)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}.", path=path) from None
    except UnicodeDecodeError:
        return ""


def _rows(mapping: Folder, made: Made) -> list[Row]:
    """The rows that a decision is of: those with the code, else with the text."""
    rows = (mapping.find(code=made.code) or mapping.find(code=bare(made.code))) if made.code else []
    if len(rows) > 1 and made.text:
        rows = [row for row in rows if row.text == made.text] or rows
    return rows or (mapping.find(text=made.text) if made.text and not made.code else [])


def _entry(row: Row, made: Made, targets: list[Target], by: str, file: str) -> Decision:
    try:
        return Decision.made(
            row.number,
            targets,
            event=Event.IMPORTED,
            status=made.status,
            equivalence=made.equivalence,
            by=made.by or by or file,
            comment=made.comment,
            **({"at": made.at} if made.at else {}),
        )
    except LinnetError as error:
        raise DataError(f"{made.place}: {error.happened}", *error.advice) from None


def _conflict(place: str, row: Row, here: Decision, there: Decision) -> str:
    said = []
    for made in (here, there):
        concepts = "|".join(sorted(made.concepts)) or "no concept"
        said.append(f"{concepts} ({made.status}, {made.equivalence}, by {made.by or 'unknown'})")
    return f"{place}: '{row.text}' is {said[0]} here, and {said[1]} there"
