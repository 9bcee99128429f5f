"""`linnet map import`: decisions that were made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.common_options import MappingArgument

__all__ = ["take"]

_SHOWN = 20


def take(
    dir: MappingArgument,
    file: Annotated[
        Path, typer.Argument(help="File of Usagi, SSSOM, or an exported table or workbook.", metavar="FILE")
    ],
    *,
    format: Annotated[
        str | None,
        typer.Option(help="usagi, sssom or table; default: by its columns.", metavar="NAME"),
    ] = None,
    by: Annotated[
        str, typer.Option(help="Who decided, where the file does not say; default: its name.", metavar="NAME")
    ] = "",
) -> None:
    """Take decisions that were made elsewhere, with who made them and when. What was decided here is never overwritten: conflicts
    are listed.

    Examples:
      linnet map import codes.map/ review.xlsx --by "A. Colleague"
      linnet map import codes.map/ old-mapping.usagi.csv
    """
    from linnet.cli.mapping.shown import coverage
    from linnet.cli.progress import note
    from linnet.mapping import Mapping
    from linnet.plural import counted

    mapping = Mapping.open(dir)
    result = mapping.take(file, format=format, by=by)
    for title, lines in (("Conflict", result.conflicts), ("Left out", result.strange)):
        for line in lines[:_SHOWN]:
            note(f"{title}: {line}")
        if len(lines) > _SHOWN:
            note(f"{title}: {len(lines) - _SHOWN:,} more.")
    note(
        f"Taken: {counted(result.taken, 'decisions')}; here already: {result.same:,}; conflicts: {len(result.conflicts):,}; "
        f"left out: {len(result.strange):,}."
    )
    note(coverage(mapping))
