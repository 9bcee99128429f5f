"""ZIP archives: a folder is packed; how reading one ends that is damaged, or packed in a way Python cannot unpack."""

from __future__ import annotations

import errno
import lzma
import zipfile
import zlib
from pathlib import Path

__all__ = ["DAMAGE", "is_damage", "pack"]

# A locked member is a RuntimeError of any kind: whoever reads an archive looks for its flag first.
DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError)


def is_damage(error: OSError) -> bool:
    """Whether it is the archive's fault, not the disk's: offsets that lead nowhere, and bzip2 data, which has no number."""
    return error.errno in (None, errno.EINVAL)


def pack(folder: Path, archive: zipfile.ZipFile, *, below: str = "") -> None:
    """Put the files of a folder into an archive, by name; `below` goes before each name."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            archive.write(file, f"{below}{file.relative_to(folder).as_posix()}")
