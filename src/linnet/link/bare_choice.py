"""The choice for mentions without context: their readings as bare strings, with the candidates of each part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np

from linnet.link.bare_strings import BareStrings, Reading
from linnet.link.matches import Lookup, Part
from linnet.link.query_cache import QueryCache
from linnet.link.terminology_group import TerminologyGroup
from linnet.link.variant_choice import Choice, Parts
from linnet.retrieve.hits import Hits, Origin
from linnet.text import fold

__all__ = ["BareChooser"]


class BareChooser:
    """Chooses how to read strings without context. Not changed by use, but for the cache of searches."""

    def __init__(
        self,
        group: TerminologyGroup,
        cache: QueryCache,
        respelt: Callable[[str], str | None],
        *,
        shorthand: bool,
    ) -> None:
        """
        respelt    a text with misspelt words corrected, or None
        shorthand  write out clinical short forms
        """
        self._group, self._cache, self._respelt, self._shorthand = group, cache, respelt, shorthand

    def choose(self, texts: Sequence[str], *, k: int, composites: bool) -> Choice:
        """The reading of each text, with k candidates for each part.

        composites  divide strings
        """
        strings = BareStrings(self.lookup(k), shorthand=self._shorthand, composites=composites)
        readings = strings.readings(texts)
        chosen = [
            reading.parts[0].text if len(reading.parts) == 1 else text
            for text, reading in zip(texts, readings, strict=True)
        ]
        parts = [part for reading in readings if len(reading.parts) > 1 for part in reading.parts]
        hits = self._cache.search([*chosen, *(part.text for part in parts)], k=k)
        whole = [_origin(r.parts[0]) if len(r.parts) == 1 else Origin(0) for r in readings]
        marks = np.array([*whole, *map(_origin, parts)], np.uint16).reshape(-1, 1)
        hits.origins[:] |= np.where(hits.concepts >= 0, marks, 0).astype(np.uint16)
        splits: dict[int, Parts] = {}
        at = len(chosen)
        for row, reading in enumerate(readings):
            if len(reading.parts) > 1:
                splits[row] = [
                    (part.text, hits.take([place])) for place, part in enumerate(reading.parts, at)
                ]
                at += len(reading.parts)
            elif reading.left_out:
                splits[row] = [(chosen[row], hits.take([row]))]
            # What was left out is said, as a part without a concept.
            splits.setdefault(row, []).extend((text, Hits.empty(1, k)) for text in reading.left_out)
        splits = {row: parts for row, parts in splits.items() if parts}
        return Choice(
            chosen,
            hits.take(slice(0, len(chosen))),
            splits,
            _confidence(readings),
            frozenset(range(len(chosen))),
        )

    def lookup(self, k: int) -> Lookup:
        """How strings are looked up in the terminologies, with k candidates."""
        return Lookup(
            exact=lambda texts: self._group.exact(texts, k=k).best.tolist(),
            best=lambda texts: self._cache.search(texts, k=k).scores[:, 0].tolist(),
            respelt=self._respelt,
            is_preferred=lambda text: self._is_preferred(text, k=k),
            closest=lambda texts: self._closest_names(texts, k=k),
            groups=lambda texts: self._groups(texts, k=k),
            concept_names=lambda texts: self._concept_names(texts, k=k),
        )

    def _groups(self, texts: Sequence[str], *, k: int) -> list[int]:
        """The semantic groups of the best of k candidates of each text, 0 if unknown."""
        concepts = self._cache.search(texts, k=k).concepts[:, 0]
        found = np.zeros(len(texts), np.int64)
        some = np.flatnonzero(concepts >= 0)
        found[some] = self._group.groups(concepts[some])
        return [int(groups) for groups in found]

    def _concept_names(self, texts: Sequence[str], *, k: int) -> list[list[str]]:
        """All names of the best of k candidates of each text, none without one."""
        concepts = self._cache.search(texts, k=k).concepts[:, 0]
        some = np.flatnonzero(concepts >= 0)
        counts, rows = self._group.all_names(concepts[some].astype(np.int64))
        names = iter(self._group.name_texts(rows))
        found: list[list[str]] = [[] for _ in texts]
        for row, count in zip(some.tolist(), counts.tolist(), strict=True):
            found[row] = list(islice(names, count))
        return found

    def _closest_names(self, texts: Sequence[str], *, k: int) -> list[str]:
        """The name by which the best of k candidates of each text was found, "" without one."""
        names = self._cache.search(texts, k=k).names[:, 0]
        some = np.flatnonzero(names >= 0)
        found = [""] * len(texts)
        for row, name in zip(
            some.tolist(), self._group.name_texts(names[some].astype(np.int64)), strict=True
        ):
            found[row] = name
        return found

    def _is_preferred(self, text: str, *, k: int) -> bool:
        """Whether a text is the preferred name of the best of k candidates, apart from case."""
        hits = self._cache.search([text], k=k)
        return bool(hits.concepts[0, 0] >= 0) and fold(
            self._group.preferred_names(hits.concepts[0, :1])[0]
        ) == fold(text)


def _origin(part: Part) -> Origin:
    """How the text of a part was made of what is written, beside abbreviations."""
    return Origin.SPELLING if part.respelt else Origin.SYNONYM if part.is_synonym else Origin(0)


def _confidence(readings: Sequence[Reading]) -> dict[int, float]:
    """By row, as `Choice` has it."""
    return {
        row: reading.confidence if reading.parts else 0.0
        for row, reading in enumerate(readings)
        if len(reading.parts) != 1 or reading.confidence < 1
    }
