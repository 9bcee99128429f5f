"""What the concepts of a source show that its author can hardly have meant: damaged characters, markup, lost successors.

>>> suspects = SuspectNames()
>>> suspects.add(Concept("X:1", "SjÃ¶gren syndrome"))
>>> suspects.notes()[0].partition(". ")[0]
"1 name holds characters of a wrong encoding, e.g. 'SjÃ¶gren syndrome'"
"""

from __future__ import annotations

import re

from linnet.plural import counted
from linnet.types import Concept

__all__ = ["SuspectNames"]

# UTF-8 that was read as Latin-1 or Windows-1252: "Ã¶", "Î²", "â€™"; and what a decoder puts for a byte that it cannot read.
_MOJIBAKE = re.compile("[ÃÎ][\xa0-¿€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œ]|â€|â„|\ufffd")
_TAG = re.compile(r"</[A-Za-z][A-Za-z0-9]*>")
_SHOWN = 60


class SuspectNames:
    """Counts such names and concepts, with the first of each."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._counts: dict[str, int] = {"encoding": 0, "markup": 0, "replaced": 0}

    def add(self, concept: Concept) -> None:
        """Look at a concept."""
        for name in concept.all_names:
            if not name.isascii() and _MOJIBAKE.search(name):
                self._count("encoding", name)
            if "</" in name and _TAG.search(name):
                self._count("markup", name)
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
        }
        return [
            f"{counted(count, what)}, e.g. '{self._first[kind][:_SHOWN]}'. {advice}."
            for kind, (what, advice) in texts.items()
            if (count := self._counts[kind])
        ]

    def _count(self, kind: str, example: str) -> None:
        self._first.setdefault(kind, example)
        self._counts[kind] += 1
