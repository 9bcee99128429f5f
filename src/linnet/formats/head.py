"""The head of a file: its first bytes, and what they are as text, as lines, as a table, as XML and as JSON."""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from functools import cached_property
from typing import Any

from linnet.formats.delimited import delimiter_of, split
from linnet.formats.json_head import JsonHead, first_object

__all__ = ["CONTROL_CODES", "UTF_16", "Head", "is_zip"]

CONTROL_CODES = (*range(0x07), *range(0x0E, 0x1B), *range(0x1C, 0x20))
"""Control characters that are absent or very rare in texts; tabs, line ends, form feeds and escapes do occur."""
UTF_16 = (BOM_UTF16_LE, BOM_UTF16_BE)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")

_CONTROL = re.compile(b"[" + re.escape(bytes(CONTROL_CODES)) + b"]")
_FEW = 0.002  # share of them in a text with stray characters
_ROOT = re.compile(
    r"(?:\s|<\?.*?\?>|<!--.*?-->|<!(?i:DOCTYPE)[^\[>]*(?:\[.*?\]\s*)?>)*<([A-Za-z][\w.:-]*)([^>]*)", re.DOTALL
)


def is_zip(head: bytes) -> bool:
    """Whether a file that begins so is a zip archive, or a document in zip format (.xlsx, .docx)."""
    return head.startswith(_ZIP)


class Head:
    """The first bytes of a file, unpacked if linnet unpacks the file.

    whole  the file ends there
    """

    def __init__(self, raw: bytes, *, whole: bool = False) -> None:
        self.raw, self.whole = raw, whole

    @cached_property
    def is_binary(self) -> bool:
        """Whether the bytes are no text in UTF-8, or one with far too many control characters."""
        return b"\x00" in self.raw or len(_CONTROL.findall(self.raw)) > _FEW * len(self.raw)

    @cached_property
    def text(self) -> str:
        """As text, without a byte order mark; undecodable bytes are replaced."""
        encoding = "utf-16" if self.raw.startswith(UTF_16) else "utf-8-sig"
        return self.raw.decode(encoding, "replace")

    @cached_property
    def rows(self) -> list[str]:
        """The lines, blank ones too, without a last one that is cut off."""
        lines = [line.removesuffix("\r") for line in self.text.split("\n")]
        return lines if self.whole or len(lines) == 1 else lines[:-1]

    @cached_property
    def lines(self) -> list[str]:
        """The lines that are not blank."""
        return [line for line in self.rows if line.strip()]

    @cached_property
    def header(self) -> list[str]:
        """The cells of the first line that is no comment."""
        plain = next((line for line in self.lines if not line.startswith("#")), "")
        try:
            cells = split(plain, delimiter_of(plain)) if any(mark in plain for mark in "\t,;") else [plain]
        except csv.Error:
            cells = [plain]
        return [cell.strip() for cell in cells]

    @cached_property
    def columns(self) -> set[str]:
        """The header's cells in lower case."""
        return {cell.lower() for cell in self.header}

    @cached_property
    def names(self) -> set[str]:
        """The fields of the first object of JSON, else the columns of a table, also between bars, in lower case."""
        cells = self.header[0].split("|") if len(self.header) == 1 else self.header
        return {name.lower() for name in (self.record or cells)}

    @cached_property
    def json(self) -> JsonHead | None:
        """How JSON begins; None if it is none."""
        return first_object(self.text, whole=self.whole)

    @property
    def record(self) -> dict[str, Any] | None:
        """The first object of JSON, cut short at the end of the head."""
        return self.json.record if self.json else None

    @property
    def first(self) -> Any:
        """The first record of JSON: its first object, or the first element of an array."""
        return self.json.first if self.json else None

    @cached_property
    def _root(self) -> tuple[str, str]:
        found = _ROOT.match(self.text) if self.text.lstrip().startswith("<") else None
        return (found[1], found[2]) if found else ("", "")

    @property
    def xml_root(self) -> str:
        """Name of the root element of XML or HTML, as written; "" without one."""
        return self._root[0]

    @property
    def root(self) -> str:
        """The same without its prefix, in lower case."""
        return self.xml_root.rpartition(":")[2].lower()

    @property
    def root_element(self) -> str:
        """What stands in the tag of the root element behind its name."""
        return self._root[1]
