"""File names that are not UTF-8, as text that can be written.

Linux allows any bytes in a name. Python holds those that are not UTF-8 as lone surrogates, which no file in UTF-8 takes.

>>> writable("caf\\udce9.txt"), writable("café.txt")
('caf%E9.txt', 'café.txt')
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

__all__ = ["SPELT", "writable"]

SPELT = "linnet.filenames"
"""The error handler of streams that writes such names as `writable` does, for `open` and `reconfigure`."""
_BYTE = re.compile("[\\udc80-\\udcff]")


def writable(name: str | Path) -> str:
    """The name with each byte that is not UTF-8 as `%XX`; every other name comes back as it is."""
    return _BYTE.sub(lambda match: f"%{ord(match[0]) - 0xDC00:02X}", str(name))


def _spell(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start : error.end]
    if (spelt := writable(found)) == found or not spelt.isascii():
        raise error
    return spelt, error.end


codecs.register_error(SPELT, _spell)
