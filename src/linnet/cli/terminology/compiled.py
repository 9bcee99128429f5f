"""How commands read the name of a compiled terminology."""

from __future__ import annotations

from pathlib import Path

__all__ = ["compiled"]


def compiled(name: str) -> Path:
    """The folder, of the packaged terminology for "starter" unless a folder has that name."""
    if name != "starter" or Path(name).exists():
        return Path(name)
    from linnet.link.starter import starter_terminology

    return starter_terminology()
