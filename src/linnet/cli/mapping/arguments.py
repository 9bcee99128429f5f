"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["MappingArgument"]

MappingArgument = Annotated[Path, typer.Argument(help="Folder of the mapping.", metavar="DIR")]
