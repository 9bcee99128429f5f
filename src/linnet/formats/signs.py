"""Signs by which a file shows what it is, as the tables write them: KIND:PATTERN.

    bytes, packed, word       regular expression of the first bytes; a word counts only if what follows is no text
    text, annotated, late     regular expression of the text, ^ and $ at its lines; late: where a file proves no format
    first         regular expression of the first line that is not blank
    root          names of the root element of XML, without prefix, in lower case      namespace  in the root element
    key           of the first object of JSON         fields   keys of it, all of them; `[`: its value is a list
    columns       cells of the first line that is no comment, all of them, in any case    exactly  these and no others
    header        as `columns`, as they are written      names    as `columns`, or fields of the first object of JSON
    code, lines, record, example   a function of the head, of its lines, of the first object of JSON that is no document of linnet's,
                  of the array that is the first element of one
    file          regular expression of a file's name, which proves the format alone   folder   in a folder of such files
    member, workbook   name of a file in a zip archive, or a MIME type in it; workbook: it can be read as a table
    zipped        what the first bytes of a zip archive mention

Alternatives of `root`, and the members of the lists, are separated by `|`.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from linnet.formats.head import Head

__all__ = ["Sign"]

_ROWS = 200  # lines that a function is given


class Sign(NamedTuple):
    """A sign of a table."""

    kind: str
    pattern: str

    @classmethod
    def of(cls, written: str) -> Sign:
        """From KIND:PATTERN."""
        kind, _, pattern = written.partition(":")
        return cls(kind, pattern)

    def is_name(self, file: str, *, alone: bool) -> bool:
        """Whether it stands for files of this name; `alone`: outside a folder of the format, too."""
        kinds = ("file",) if alone else ("file", "folder")
        return self.kind in kinds and bool(re.fullmatch(self.pattern, file))

    def fits(self, head: Head) -> bool:
        """Whether a file that begins like this has the sign."""
        match self.kind:
            case "packed" | "bytes" | "word":
                found = re.match(self.pattern.encode("latin-1"), head.raw, re.DOTALL)
                return bool(found) and (self.kind != "word" or head.is_binary)
            case "zipped" | "member" | "workbook":
                return self.pattern.encode() in head.raw  # of a zip archive
            case "text" | "annotated" | "late":
                find = re.match if self.pattern.startswith(r"\A") else re.search
                return bool(find(self.pattern, head.text, re.MULTILINE))
            case "first":
                return bool(head.lines) and bool(re.match(self.pattern, head.lines[0]))
            case "namespace":
                return self.pattern in head.root_element
            case "root":
                return head.root in self.pattern.split("|")
            case "key":
                return head.record is not None and self.pattern in head.record
            case "fields":
                record = head.record
                return record is not None and all(_holds(record, field) for field in self.pattern.split("|"))
            case "columns":
                return head.columns >= set(self.pattern.split("|"))
            case "names":
                return head.names >= set(self.pattern.split("|"))
            case "header":
                return set(head.header) >= set(self.pattern.split("|"))
            case "exactly":
                return head.columns == set(self.pattern.split("|"))
            case "code":
                return bool(_function(self.pattern)(head))
            case "lines":
                return bool(_function(self.pattern)(head.rows[:_ROWS]))
            case "record":
                record = head.record
                return (
                    record is not None and "mentions" not in record and bool(_function(self.pattern)(record))
                )
            case "example":
                return isinstance(head.first, list) and bool(_function(self.pattern)(head.first))
        return False


def _holds(record: dict[str, Any], field: str) -> bool:
    plain = field.removesuffix("[")
    return plain in record and (plain == field or isinstance(record[plain], list))


@cache
def _function(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
