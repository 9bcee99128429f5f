"""The argument of commands that read compiled terminologies, of which the packaged one is called "starter"."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

__all__ = ["compiled"]


def compiled(help: str) -> Any:
    """An argument with the folder of a compiled terminology."""
    return typer.Argument(help=f"{help}; starter is the packaged one.", parser=_folder)


def _folder(name: str) -> Path:
    if name != "starter" or Path(name).exists():
        return Path(name)
    from linnet.link.starter import starter_terminology

    return starter_terminology()
