"""What is searched for: each distinct text once, whatever the number of mentions."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np

from linnet.link.targets import Targets
from linnet.recognise.abbreviations import Abbreviations
from linnet.retrieve.hits import Hits, Origin
from linnet.text import fold
from linnet.types import Mention

__all__ = ["Queries", "expanded_texts", "is_name"]

_REMEMBERED = 50_000  # distinct texts kept between calls; at k = 64 some 60 MB


class Queries:
    """Searches each distinct text once and remembers what it found."""

    def __init__(self, targets: Targets) -> None:
        self._targets = targets
        self._lock = Lock()
        self._k = 0
        self._rows: dict[str, int] = {}
        self._respelt: dict[str, str | None] = {}
        self._hits = Hits.empty(0, 0)

    def search(self, texts: Sequence[str], *, k: int) -> Hits:
        """(len(texts), k) hits, in the order of the texts."""
        folded = [fold(text) for text in texts]
        with self._lock:
            if k != self._k or len(self._rows) > _REMEMBERED:
                self._k, self._rows, self._hits = k, {}, Hits.empty(0, k)
            new = [text for text in dict.fromkeys(folded) if text not in self._rows]
            if new:
                first = len(self._rows)
                self._hits = Hits.stack([self._hits, self._targets.search(new, k=k)])
                self._rows.update((text, first + i) for i, text in enumerate(new))
            rows = np.fromiter((self._rows[text] for text in folded), dtype=np.int64, count=len(folded))
            return self._hits.take(rows)

    def knows(self, text: str) -> bool:
        """Whether a text has been searched for lately."""
        return fold(text) in self._rows

    def named(self, texts: Sequence[str]) -> list[float]:
        """(N,) the score of each text's best exact match, 0 where it is no name."""
        return self._targets.named(texts)

    def respelt(self, text: str) -> str | None:
        """The text with words that no terminology has set right; None where there is nothing to set right."""
        known = self._respelt
        if text in known:
            return known[text]
        if len(known) > _REMEMBERED:
            self._respelt = known = {}
        found = known[text] = self._targets.respelt(text)
        return found


def is_name(hits: Hits, row: int) -> bool:
    """Whether the best hit is an exact match (or an override): the text is a name as it stands."""
    return bool(hits.k) and bool(Origin(int(hits.origins[row, 0])) & (Origin.EXACT | Origin.OVERRIDE))


def expanded_texts(mentions: Sequence[Mention]) -> list[str]:
    """The text of each mention with the abbreviations spelt out that its document defines.

    Mentions are of one document when they share a non-empty document id, or the document object itself; the
    definitions of all the contexts given for an id count.
    """
    together: dict[str | int, list[Mention]] = {}
    for mention in mentions:
        together.setdefault(_home(mention), []).append(mention)
    defined = {home: Abbreviations.of(group) for home, group in together.items()}
    return [defined[_home(mention)].expand(mention.text) for mention in mentions]


def _home(mention: Mention) -> str | int:
    return mention.document.id or id(mention.document)
