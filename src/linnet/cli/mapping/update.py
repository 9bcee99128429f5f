"""`linnet map update`: a newer table of the source."""

from __future__ import annotations

from typing import Annotated

import typer

from linnet.cli.common_options import MappingArgument

__all__ = ["update"]


def update(
    dir: MappingArgument,
    table: Annotated[
        str | None,
        typer.Argument(help="The newer table; none: only go on with interrupted proposals.", metavar="TABLE"),
    ] = None,
) -> None:
    """Take the strings, codes and frequencies of a newer table with the same columns. Decisions stay.

    Examples:
      linnet map update codes.map/ codes-2027.csv
      linnet map update codes.map/
    """
    from linnet.cli.mapping.shown import coverage, proposing
    from linnet.cli.progress import note
    from linnet.mapping import Mapping
    from linnet.plural import counted

    mapping = Mapping.open(dir)
    with proposing() as progress:
        changed = mapping.update(table, progress=progress)
    if table is not None:
        note(f"{counted(changed.added, 'strings')} new, {changed.kept:,} kept, {changed.gone:,} gone.")
        if changed.blank:
            note(f"Left out: {counted(changed.blank, 'rows')} without a string.")
    note(coverage(mapping))
