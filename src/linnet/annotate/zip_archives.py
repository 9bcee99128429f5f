"""ZIP archives: packing a folder, and the errors of damaged or unsupported archives."""

from __future__ import annotations

import errno
import lzma
import zipfile
import zlib
from pathlib import Path, PurePosixPath

__all__ = ["DAMAGE", "is_damage", "leads_outside", "pack"]

# A locked member raises a plain RuntimeError, so readers check its flag first.
DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError)


def is_damage(error: OSError) -> bool:
    """Whether the archive is at fault, not the disk: wrong offsets, and bzip2 errors, which have no errno."""
    return error.errno in (None, errno.EINVAL)


def leads_outside(name: str) -> bool:
    """Whether the name of a member may lead outside the folder that it is unpacked into, on any system."""
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name


def pack(folder: Path, archive: zipfile.ZipFile, *, below: str = "") -> None:
    """Add the files of a folder to an archive, sorted; `below` is prefixed to each name."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            archive.write(file, f"{below}{file.relative_to(folder).as_posix()}")
