"""Options that the commands of the annotation tool share: where it keeps its data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from linnet.cli.panels import running_option

__all__ = ["Data", "Database"]

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
