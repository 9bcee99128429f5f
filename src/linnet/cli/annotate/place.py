"""Options that the commands of the annotation tool share: where it keeps its data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Data", "Database"]

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder of database and models; default: $LINNET_ANNOTATE, or one in your home directory.",
        metavar="DIR",
    ),
]
Database = Annotated[
    str,
    typer.Option(
        "--database",
        help="PostgreSQL instead of SQLite: postgresql://USER:PASSWORD@HOST/NAME.",
        metavar="URL",
    ),
]
