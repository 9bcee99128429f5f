"""Representation of file names that are not UTF-8 as writable text.

Linux allows any bytes in a name. Python represents bytes that are not UTF-8 as lone surrogates, which cannot be encoded.

>>> writable("caf\\udce9.txt"), writable("café.txt")
('caf%E9.txt', 'café.txt')
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

__all__ = ["SPELT", "writable"]

SPELT = "linnet.io.filenames"
"""The error handler of streams that writes such names as `writable` does, for `open` and `reconfigure`."""
_BYTE = re.compile("[\\udc80-\\udcff]")


def writable(name: str | Path) -> str:
    """The name with each byte that is not UTF-8 as `%XX`; other names are unchanged."""
    return _BYTE.sub(lambda match: f"%{ord(match[0]) - 0xDC00:02X}", str(name))


def _spell(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unencodable = error.object[error.start : error.end]
    if (spelt := writable(unencodable)) == unencodable or not spelt.isascii():
        raise error
    return spelt, error.end


codecs.register_error(SPELT, _spell)
