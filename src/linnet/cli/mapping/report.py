"""`linnet map report`: how far a mapping is."""

from __future__ import annotations

import typer

from linnet.cli.common_options import MappingArgument

__all__ = ["report"]


def report(dir: MappingArgument) -> None:
    """Show how many strings and records are mapped, by status, and how right linnet's proposals are.

    Examples:
      linnet map report codes.map/
    """
    from linnet.cli.mapping.shown import share
    from linnet.mapping import Mapping

    found = Mapping.open(dir).report()
    strings, records = max(1, found.strings.total()), max(1, found.records.total())
    typer.echo(f"{'':<16}{'strings':>12}{'':>9}{'records':>12}")
    for what, count in found.strings.most_common():
        of = found.records[what]
        typer.echo(
            f"{what:<16}{count:>12,}{100 * count / strings:>7.1f} %{of:>12,}{100 * of / records:>7.1f} %"
        )
    typer.echo(f"{'all':<16}{found.strings.total():>12,}{'':>9}{found.records.total():>12,}")
    if found.expected:
        typer.echo(f"\nProposals for unchecked strings, expected to be right: {share(found.expected)}")
    if found.observed:
        typer.echo(f"Proposals for checked strings, left as they were: {share(found.observed)}")
