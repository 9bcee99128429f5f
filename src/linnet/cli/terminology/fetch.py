"""`linnet terminology fetch`: download a public source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.progress import downloading, note

__all__ = ["fetch"]


def fetch(
    name: Annotated[
        str | None, typer.Argument(help="Name of the source; without one, all are listed.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Directory for the file.", metavar="DIR")
    ] = Path(),
    checksum: Annotated[
        str, typer.Option(help="Expected MD5, SHA-1, SHA-256 or SHA-512 in hex.", metavar="HEX")
    ] = "",
    url: Annotated[
        str, typer.Option(help="Another address of the source, e.g. of another year.", metavar="URL")
    ] = "",
) -> None:
    """Download a public source from its publisher; an interrupted download resumes.

    Shows the licence first and prints the path of the file. No other command downloads terminologies.

    Examples:
      linnet terminology fetch
      linnet terminology fetch mesh-descriptors -o downloads/
      linnet terminology fetch doid && linnet terminology build doid.obo -o do/
    """
    from linnet.terminology.fetch import fetch as download
    from linnet.terminology.fetch import source, sources

    if name is None:
        for known, public in sources.items():
            typer.echo(f"{known}\t{public.title}\t{public.licence}\t{public.url}")
        return
    wanted = replace(source(name), url=url) if url else source(name)
    note(f"{wanted.title}\nLicence: {wanted.licence}\nFrom: {wanted.url}")
    with downloading(wanted.file) as progress:
        file = download(wanted, output, checksum=checksum, progress=progress)
    note(f"Next: linnet terminology build {file} --format {wanted.format} -o {name}/")
    typer.echo(str(file))
