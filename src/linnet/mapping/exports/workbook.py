"""Mappings as an Excel workbook for a colleague who reviews there: lists to choose from, and back by `map import`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from linnet.errors import MissingExtraError
from linnet.io.files import replacing
from linnet.mapping.decisions import Equivalence, Status
from linnet.mapping.exports.table import records
from linnet.mapping.folder import Folder
from linnet.mapping.rows import Row

__all__ = ["write_workbook"]

_WIDTHS = {
    "text": 42,
    "names": 42,
    "concepts": 22,
    "equivalence": 13,
    "status": 14,
    "comment": 30,
    "code": 14,
}
_CHOICES: dict[str, list[str]] = {"status": [*Status], "equivalence": [*Equivalence]}
_SHOWN = 9  # candidates of the second sheet


def write_workbook(
    mapping: Folder, rows: Iterable[Row], path: str | Path, metadata: dict[str, Any]
) -> list[str]:
    """A sheet `mapping` with a row for each code, and a sheet `candidates` with the concepts that linnet found for each row.

    Raises MissingExtraError without openpyxl.
    """
    try:
        from openpyxl import Workbook
        from openpyxl.styles import Font
        from openpyxl.utils import get_column_letter
        from openpyxl.worksheet.datavalidation import DataValidation
    except ImportError:
        raise MissingExtraError("Writing Excel files", "xlsx") from None
    rows = list(rows)
    book = Workbook()
    sheet = book.active
    sheet.title = "mapping"
    columns: list[str] = []
    for cells in records(mapping, rows):
        if not columns:
            sheet.append(columns := list(cells))
        _append(sheet, list(cells.values()))
    for number, name in enumerate(columns, 1):
        letter = get_column_letter(number)
        sheet.column_dimensions[letter].width = _WIDTHS.get(name, 12)
        if name in _CHOICES and sheet.max_row > 1:
            choice = DataValidation(type="list", formula1=f'"{",".join(_CHOICES[name])}"', allow_blank=True)
            choice.error, choice.errorTitle = f"Choose one of: {', '.join(_CHOICES[name])}", name
            sheet.add_data_validation(choice)
            choice.add(f"{letter}2:{letter}{sheet.max_row}")
    found = book.create_sheet("candidates")
    found.append(["row", "text", "concept", "name", "score"])
    for row in rows:
        for candidate in row.proposal.candidates[:_SHOWN] if row.proposal else ():
            _append(found, [row.number, row.text, candidate.concept, candidate.name, candidate.score])
    for each in (sheet, found):
        each.freeze_panes = "A2"
        for cell in each[1]:
            cell.font = Font(bold=True)
    with replacing(path) as draft:
        book.save(draft)
    return []


def _append(sheet: Any, cells: list[Any]) -> None:
    """Append a row without characters that a workbook cannot hold; a text that begins like a formula stays a text."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    sheet.append([ILLEGAL_CHARACTERS_RE.sub(" ", cell) if isinstance(cell, str) else cell for cell in cells])
    for cell in sheet[sheet.max_row]:
        if cell.data_type == "f":
            cell.data_type = "s"
