"""What the XML readers share: where an element is, and what to say when a file is cut off."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from linnet.errors import DataError

if TYPE_CHECKING:
    from lxml.etree import XMLSyntaxError, _Element

__all__ = ["cut_off", "line_of"]


def line_of(element: _Element) -> int | None:
    """The line an element starts in, where the parser knows it."""
    line = element.sourceline
    return line if isinstance(line, int) else None


def cut_off(error: XMLSyntaxError, path: Path) -> DataError:
    """The error to raise for XML that cannot be parsed."""
    message = f"not well-formed XML, or cut off ({error.msg}). Fetch the file again."
    return DataError(message, path=path, line=error.lineno)
