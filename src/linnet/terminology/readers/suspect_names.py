"""What the concepts of a source show that its author can hardly have meant: damaged characters, markup, lost successors, ids that
mean something else in a file of links.

>>> suspects = SuspectNames()
>>> suspects.add(Concept("X:1", "SjÃ¶gren syndrome"))
>>> suspects.notes()[0].partition(". ")[0]
"1 name holds characters of a wrong encoding, e.g. 'SjÃ¶gren syndrome'"
"""

from __future__ import annotations

import re

from linnet.plural import counted
from linnet.types import Concept
from linnet.words.mojibake import repaired
from linnet.words.no_concept import is_none

__all__ = ["SuspectNames"]

_TAG = re.compile(r"</[A-Za-z][A-Za-z0-9]*>")
# Several ids in one field, as files of links have them for composites.
_SEVERAL = re.compile(r"[\w:.\-]+(?:\s*[|;,+]\s*[\w:.\-]+)+")
_SHOWN = 60


class SuspectNames:
    """Counts such names and concepts, with the first of each."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._counts: dict[str, int] = {
            "encoding": 0,
            "markup": 0,
            "replaced": 0,
            "no concept": 0,
            "several": 0,
        }

    def add(self, concept: Concept) -> None:
        """Look at a concept."""
        for name in concept.all_names:
            if "\ufffd" in name or repaired(name) != name:  # the first is put for a byte that cannot be read
                self._count("encoding", name)
            if "</" in name and _TAG.search(name):
                self._count("markup", name)
        if is_none(concept.id):
            self._count("no concept", concept.id)
        elif not concept.id.isalnum() and _SEVERAL.fullmatch(concept.id):
            self._count("several", concept.id)
        if concept.name and concept.replaced_by:
            self._count("replaced", f"{concept.id}, replaced by {concept.replaced_by[0]}")

    def notes(self) -> list[str]:
        """What was found, for the user."""
        texts = {
            "encoding": (
                "names hold characters of a wrong encoding",
                "The file was once read in another encoding than it was written in; get it anew, or repair it",
            ),
            "markup": (
                "names hold HTML tags",
                "They were kept; remove them from the file if they are no part of the names",
            ),
            "replaced": (
                "concepts have both a name and a replacement",
                "They were read as current, without the replacement; to retire them, leave out their names, or mark them in a column "
                "'obsolete' of a table",
            ),
            "no concept": (
                "ids mean no concept",
                "Links to these concepts are read as NIL from PubTator, CSV and other files; give the concepts other ids",
            ),
            "several": (
                "ids look like several ids",
                "Links to these concepts are read as links to several concepts from PubTator, CSV and other files; give them ids without "
                "'|', '+', ';' and ','",
            ),
        }
        return [
            f"{counted(count, what)}, e.g. '{self._first[kind][:_SHOWN]}'. {advice}."
            for kind, (what, advice) in texts.items()
            if (count := self._counts[kind])
        ]

    def _count(self, kind: str, example: str) -> None:
        self._first.setdefault(kind, example)
        self._counts[kind] += 1
