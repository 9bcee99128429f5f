"""Converts texts in UTF-16 or UTF-32, as office programs write them, to UTF-8, which all readers need."""

from __future__ import annotations

import codecs
import re
import shutil
from pathlib import Path

from linnet.advice import Step
from linnet.errors import DataError

__all__ = ["to_utf8"]

_BLOCK = 1 << 20
# Byte order marks; UTF-32's begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(r"""^(<\?xml[^>]*\bencoding=["'])[\w-]+""")
_HEAD = 400  # bytes that reveal UTF-16 without a mark


def to_utf8(path: Path) -> None:
    """Rewrite a file as UTF-8 if its byte order mark says UTF-16 or UTF-32; leave other files alone.

    Raises DataError if the text does not match the mark, and for UTF-16 without a mark, whose byte order is unknown.
    """
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    encoding = next((encoding for mark, encoding in _MARKS if head.startswith(mark)), None)
    if encoding is None:
        if len(head) > 3 and abs(_blank(head[0::2]) - _blank(head[1::2])) > 0.8:
            raise DataError(
                "the encoding seems to be UTF-16, but the byte order mark is missing.",
                Step.CONVERT_ENCODING(encoding="utf-16"),
                path=path,
            )
        return
    fresh = path.with_name(f"{path.name}.utf8")
    try:
        with (
            path.open(encoding=encoding, newline="") as source,
            fresh.open("w", encoding="utf-8", newline="") as goal,
        ):
            goal.write(_DECLARED.sub(r"\g<1>UTF-8", source.read(_BLOCK)))
            shutil.copyfileobj(source, goal, _BLOCK)
    except UnicodeError as error:
        fresh.unlink()
        raise DataError(
            f"its byte order mark says {encoding.upper()}, but the text is not valid in it ({error}).",
            Step.CONVERT_ENCODING(encoding=encoding),
            path=path,
        ) from None
    fresh.replace(path)


def _blank(part: bytes) -> float:
    return part.count(0) / max(len(part), 1)
