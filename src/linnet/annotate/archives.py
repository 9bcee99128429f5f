"""How reading a ZIP archive ends that is damaged, or packed in a way Python cannot unpack."""

from __future__ import annotations

import errno
import lzma
import zipfile
import zlib

__all__ = ["DAMAGE", "is_damage"]

# A locked member is a RuntimeError of any kind: whoever reads an archive looks for its flag first.
DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError)


def is_damage(error: OSError) -> bool:
    """Whether it is the archive's fault, not the disk's: offsets that lead nowhere, and bzip2 data, which has no number."""
    return error.errno in (None, errno.EINVAL)
