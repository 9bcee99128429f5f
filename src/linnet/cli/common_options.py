"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.panels import input_option, output_option, running_option

__all__ = [
    "CompiledArgument",
    "Data",
    "Database",
    "MappingArgument",
    "NoBrowserOption",
    "OutputOption",
    "PortOption",
    "SheetOption",
    "compiled",
]


def compiled(name: str) -> Path:
    """The folder, of the packaged terminology for "starter" unless a folder has that name."""
    if name != "starter" or Path(name).exists():
        return Path(name)
    from linnet.link.starter import starter_terminology

    return starter_terminology()


CompiledArgument = Annotated[Path, typer.Argument(help="Compiled terminology.", parser=compiled)]
SheetOption = Annotated[
    str | None, input_option("--sheet", help="Sheet of an Excel file that has several.", metavar="NAME")
]
OutputOption = Annotated[
    str, output_option("--output", "-o", help="Where to write; - for standard output.", metavar="OUT")
]
PortOption = Annotated[
    int,
    running_option("--port", help="Port to listen on; 0 for any free port.", min=0, max=65535, metavar="N"),
]
NoBrowserOption = Annotated[bool, running_option("--no-browser", help="Do not open the page in a browser.")]
Data = Annotated[
    Path | None,
    running_option(
        "--data",
        help="Folder of database and models; default: $LINNET_ANNOTATE, or one in your home directory.",
        metavar="DIR",
    ),
]
Database = Annotated[
    str,
    running_option(
        "--database",
        help="PostgreSQL instead of SQLite: postgresql://USER:PASSWORD@HOST/NAME.",
        metavar="URL",
    ),
]
MappingArgument = Annotated[Path, typer.Argument(help="Folder of the mapping.", metavar="DIR")]
