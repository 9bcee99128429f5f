"""A version of a project's model in one file, for `linnet link --learned`."""

from __future__ import annotations

import zipfile
from pathlib import Path

__all__ = ["pack_version"]


def pack_version(version: Path, name: str, folder: Path) -> Path:
    """Write the files of a version, below a folder `name`, as a zip archive into another folder; returns the archive."""
    path = folder / "version.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(version.rglob("*")):
            if file.is_file():
                archive.write(file, f"{name}/{file.relative_to(version).as_posix()}")
    return path
