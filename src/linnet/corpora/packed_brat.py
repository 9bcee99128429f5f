"""BRAT's texts and annotations in a zip archive, which are not read there."""

from __future__ import annotations

import shlex
from pathlib import Path

from linnet.corpora.marks import ANNOTATIONS
from linnet.errors import DataError
from linnet.io import archive

__all__ = ["check_unpacked"]


def check_unpacked(path: str | Path) -> None:
    """Raise DataError for a zip archive with annotations, or a file of one: texts and annotations are read from a folder."""
    if str(path) == "-":
        return
    place = Path(path)
    packed = archive.inside(place)
    if packed and place.suffix in ANNOTATIONS:
        holder = packed[0]
    elif archive.is_archive(place) and any(file.suffix in ANNOTATIONS for file in archive.members(place)):
        holder = packed[0] if packed else place
    else:
        return
    folder = holder.with_suffix("") if holder.suffix else holder.with_name(f"{holder.name}-unpacked")
    raise DataError(
        "BRAT's annotations (.ann) are not read from a zip archive. Unpack it and give the folder: "
        f"unzip {shlex.quote(str(holder))} -d {shlex.quote(str(folder))}",
        path=path,
    )
