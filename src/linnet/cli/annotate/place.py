"""Where the annotation tool keeps its data: the options that its commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Data", "Database"]

Data = Annotated[
    Path | None,
    typer.Option(
        "--data", help="Folder of database and models; default: yours, or $LINNET_ANNOTATE.", metavar="DIR"
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
