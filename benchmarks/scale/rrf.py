"""Concepts as the UMLS lays them out: the rich release format, of which linnet reads names, types, definitions and parents.

Source: UMLS Reference Manual, chapter 3.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from generate import Made

__all__ = ["RRFWriter"]


class RRFWriter:
    """Writes MRCONSO.RRF, MRSTY.RRF, MRDEF.RRF and MRREL.RRF into a directory, row by row."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._names, self._types, self._definitions, self._relations = (
            (folder / f"MR{name}.RRF").open("w", encoding="utf-8", newline="\n")
            for name in ("CONSO", "STY", "DEF", "REL")
        )
        self._atoms = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in (self._names, self._types, self._definitions, self._relations):
            file.close()

    def write(self, made: Made) -> str:
        """Write one concept; its id, as linnet will call it."""
        cui = _cui(made.row)
        for place, name in enumerate(made.names):
            self._atoms += 1
            best = "P|L0|PF" if place == 0 else "S|L0|VO"
            text = name.replace("|", "/")
            self._names.write(
                f"{cui}|ENG|{best}|S0|Y|A{self._atoms:08}||||{made.vocabulary}|PT|NOCODE|{text}|0|N||\n"
            )
        tui, type = made.type
        self._types.write(f"{cui}|{tui}||{type}|||\n")
        if made.definition:
            text = " ".join(made.definition.split()).replace("|", "/")
            self._definitions.write(f"{cui}|A0|AT0||{made.vocabulary}|{text}|N||\n")
        if made.parent >= 0:
            self._relations.write(
                f"{cui}|A0|AUI|PAR|{_cui(made.parent)}|A0|AUI||R0||{made.vocabulary}|{made.vocabulary}||N|N||\n"
            )
        return f"UMLS:{cui}"


def _cui(row: int) -> str:
    return f"C{row:07}"
