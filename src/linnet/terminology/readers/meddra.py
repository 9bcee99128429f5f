"""MedDRA as the MSSO distributes it: a directory or zip archive of `.asc` files with columns separated by `$`.

Source: MedDRA Distribution File Format Document.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from linnet.errors import DataError
from linnet.plural import counted
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entries
from linnet.terminology.readers.folder import SourceFolder
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.terminology.readers.rows import plain_rows
from linnet.types import Concept

__all__ = ["read_meddra"]

_LEVELS = {"pt": "PT", "hlt": "HLT", "hlgt": "HLGT", "soc": "SOC"}
_ABOVE = ("hlt_pt", "hlgt_hlt", "soc_hlgt")  # files of (parent, child) codes
_CURRENCY = 9  # column of llt.asc: Y if the term is in use


def read_meddra(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Preferred terms `MEDDRA:…`, then the levels above them (types "PT", "HLT", "HLGT", "SOC"), then retired ids.

    A lowest-level term is a name of its preferred term, and its code an alternative id. Of terms that are not current,
    only the code is kept, unless `suppressed`. A code at several levels is one concept.
    Raises DataError if llt.asc or pt.asc is missing, and with the line for a row that is too short.
    """
    folder = SourceFolder.of(path).at("llt.asc")
    entries = Entries()
    for level, type in _LEVELS.items():
        for number, row in _rows(folder, f"{level}.asc", 2, options, required=level == "pt"):
            code, name = row[0].strip(), clean(row[1])
            if not code or not name:
                file = SourceFile(folder.path / f"{level}.asc", options)
                file.malformed("row without code or name.", number)
                continue
            entry = entries[f"MEDDRA:{code}"]
            entry.names.append(name)
            entry.types.append(type)
    lowest: dict[str, str] = {}
    for number, row in _rows(folder, "llt.asc", 10, options, required=True):
        code, term = f"MEDDRA:{row[0].strip()}", f"MEDDRA:{row[2].strip()}"
        if term not in entries:
            file = SourceFile(folder.path / "llt.asc", options)
            file.malformed(f"{code} belongs to {term}, which is not in pt.asc.", number)
            continue
        if row[_CURRENCY] != "N" or options.suppressed:
            entries[term].names.append(clean(row[1]))
        lowest[code] = term
    unknown = 0
    for pairs in _ABOVE:
        for _, row in _rows(folder, f"{pairs}.asc", 2, options):
            parent, child = f"MEDDRA:{row[0].strip()}", f"MEDDRA:{row[1].strip()}"
            if parent in entries and child in entries:
                entries[child].parents.append(parent)
            else:
                unknown += 1
    if unknown:
        SourceFile(folder.path, options).tell(
            f"{counted(unknown, 'rows of the hierarchy')} (hlt.asc, hlgt.asc, soc.asc) left out, as the terms are missing."
        )
    for code, term in lowest.items():
        if code not in entries:
            entries[code].replaced_by.append(term)
    yield from entries.concepts()


def _rows(
    folder: SourceFolder, name: str, columns: int, options: ReadOptions, *, required: bool = False
) -> Iterator[tuple[int, list[str]]]:
    file = folder.file(name)
    if file is not None:
        yield from plain_rows(file, "$", columns, options)
    elif required:
        raise DataError(
            f"has no {name}. Give the directory or zip archive of the .asc files.", path=folder.path
        )
