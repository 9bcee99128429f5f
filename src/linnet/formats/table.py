"""The formats that linnet reads or writes, from `formats.tsv`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from linnet.formats.delimited import data_rows
from linnet.formats.head import Head
from linnet.formats.signs import Sign

__all__ = ["Format", "formats"]

_SEVERAL = "  "  # between signs


@dataclass(frozen=True, slots=True)
class Format:
    """A format of terminologies, of annotated text ("corpus") or of links.

    title     what it is, for people
    ending    of a file that is exported in it            asked_by  ending of an output that asks for it
    honours   options of a terminology's reader, besides those that all have
    traits    see `formats.tsv`
    signs     any of them proves the format; those of files and folders stand for names, the others for content
    reader, writer  "module:function", "" for none: imported when first used
    advice    the next step where a terminology is given as a text; "" if it may be one
    """

    use: str
    name: str
    title: str
    ending: str
    asked_by: str
    honours: frozenset[str]
    traits: frozenset[str]
    signs: tuple[Sign, ...]
    reader: str
    writer: str
    advice: str

    @classmethod
    def of(cls, row: list[str]) -> Format:
        """From a row of the table."""
        use, name, title, ending, asked_by, honours, traits, signs, reader, writer, advice = (
            *row,
            *[""] * (11 - len(row)),
        )
        parsed = tuple(map(Sign.of, filter(None, signs.split(_SEVERAL))))
        options, kinds = frozenset(honours.split()), frozenset(traits.split())
        return cls(use, name, title, ending, asked_by, options, kinds, parsed, reader, writer, advice)

    def fits(self, head: Head) -> bool:
        """Whether the head of a file proves the format."""
        return any(sign.fits(head) for sign in self.signs)

    def owns(self, file: str, *, alone: bool = False) -> bool:
        """Whether only this format has files of this name (in lower case, not compressed); `alone`: outside its folder, too."""
        return any(sign.is_name(file, alone=alone) for sign in self.signs)


@cache
def formats(use: str) -> dict[str, Format]:
    """Name → format of a use ("terminology", "corpus", "links"), in the order of the table."""
    rows = data_rows(Path(__file__).with_name("formats.tsv"))[1:]
    return {row[1]: Format.of(row) for row in rows if row[0] == use}
