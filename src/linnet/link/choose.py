"""The choice among the readings of each mention: what it names, one thing or several or nothing, and each in which form.

`linnet.read` proposes readings, `linnet.link.reading_features` says what speaks for and against each, and the weights of a
`linnet.link.reader` decide: the softmax over the readings of a string is how sure the choice is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from linnet.link.found import Found
from linnet.link.query_cache import QueryCache
from linnet.link.readings import Asked, Reading, Readings, Recall, Thing, shares
from linnet.link.terminology_group import TerminologyGroup
from linnet.read.divide import tree
from linnet.read.forms import is_contested
from linnet.read.placeholders import placeholder
from linnet.retrieve.exact import SCORES
from linnet.retrieve.hits import Hits, Origin

__all__ = ["Choice", "Chooser", "Parts", "confidence"]

_SHORT = 3  # letters of a placeholder that a name does not outweigh: "NA"

Parts = list[tuple[str, Hits]]
"""The text and the (1, k) hits of each part of a composite."""


class Choice(NamedTuple):
    """The readings chosen for N mentions.

    texts       (N,) the texts to link
    hits        (N, k) their candidates; origins show how they were made
    splits      row → parts of a composite
    confidence  row → 0 to 1: that the mention names these things, if each is linked right; 0: nothing; 1 for other rows
    expanded    rows in which an abbreviation or short form was written out
    """

    texts: list[str]
    hits: Hits
    splits: dict[int, Parts]
    confidence: dict[int, float]
    expanded: frozenset[int] = frozenset()


class Chooser:
    """Chooses how to read mentions. Not changed by use, but for the cache of searches."""

    def __init__(
        self,
        group: TerminologyGroup,
        cache: QueryCache,
        respelt: Callable[[str], str | None],
        *,
        weights: Mapping[str, float],
        recalled: Recall,
        shorthand: bool,
    ) -> None:
        """
        respelt    a text with misspelt words corrected, or None
        recalled   what mentions of a text meant
        weights    of the features
        shorthand  write out clinical short forms, lay, brand and foreign names
        """
        self._group, self._cache, self._respelt = group, cache, respelt
        self._weights, self._recalled, self._shorthand = weights, recalled, shorthand

    def choose(self, asked: Sequence[Asked], *, k: int, composites: bool) -> Choice:
        """The most probable reading of each mention, with k candidates for each part; `composites`: divide strings."""
        found = Found(self._group, self._cache, k=k)
        readings = self.readings(asked, found, composites=composites)
        best = {one: (ranked[0], confidence(ranked)) for one, ranked in readings.items()}
        chosen = [best[one] for one in asked]
        texts = [
            reading.things[0].text if len(reading.things) == 1 else one.text
            for one, (reading, _) in zip(asked, chosen, strict=True)
        ]
        found.search([*texts, *(thing.text for reading, _ in chosen for thing in reading.things)])
        whole = [
            reading.things[0].origin & ~Origin.ABBREVIATION if len(reading.things) == 1 else Origin(0)
            for reading, _ in chosen
        ]
        return Choice(
            texts,
            _marked(found.hits(texts), whole),
            {row: parts for row, (reading, _) in enumerate(chosen) if (parts := _parts(reading, found))},
            {
                row: sure if reading.things else 0.0
                for row, (reading, sure) in enumerate(chosen)
                if sure < 1 or not reading.things
            },
            frozenset(row for row, one in enumerate(asked) if _is_expanded(one, chosen[row][0])),
        )

    def readings(
        self, asked: Iterable[Asked], found: Found, *, composites: bool
    ) -> dict[Asked, list[Reading]]:
        """The readings of each distinct mention, the most probable first."""
        distinct = list(dict.fromkeys(asked))
        found.look_up(one.text for one in distinct)
        sure = {
            one for one in distinct if found.exact(one.text) >= SCORES["fold"] and not self._is_contested(one)
        }
        roots = {
            one: tree(one.text, composites=composites, shorthand=self._shorthand)
            for one in distinct
            if one not in sure
        }
        readings = Readings(
            found,
            roots,
            weights=self._weights,
            respelt=self._respelt,
            recalled=self._recalled,
            shorthand=self._shorthand,
        )
        return {one: [_literal(one, found)] if one in sure else readings.of(one) for one in distinct}

    def _is_contested(self, one: Asked) -> bool:
        """Whether a text that is literally a name may mean something else: a short form that nearly always has another reading, or,
        in a table, a short placeholder."""
        is_short = not one.in_text and sum(map(str.isalpha, one.text)) <= _SHORT
        return (self._shorthand and is_contested(one.text)) or (is_short and bool(placeholder(one.text)))


def confidence(ranked: Sequence[Reading]) -> float:
    """The probability of the first reading, together with those that name the same concepts, and that what it leaves out names
    nothing."""
    best = ranked[0]
    same = (
        share
        for reading, share in zip(ranked, shares(ranked), strict=True)
        if reading.concepts == best.concepts
    )
    return sum(same) * best.sure


def _literal(one: Asked, found: Found) -> Reading:
    return Reading((Thing(one.text, Origin(0), found.best(one.text)),), {}, 0.0)


def _parts(reading: Reading, found: Found) -> Parts:
    """The parts of a composite, and what was left out as a part without a concept; [] for one thing."""
    if not reading.things or (len(reading.things) == 1 and not reading.left_out):
        return []
    parts = [(thing.text, _marked(found.hits([thing.text]), [thing.origin])) for thing in reading.things]
    return [*parts, *((text, Hits.empty(1, found.k)) for text in reading.left_out)]


def _is_expanded(one: Asked, reading: Reading) -> bool:
    """Whether an abbreviation that the document defines, or a short form, was written out in what is read as one thing."""
    if len(reading.things) != 1:
        return False
    [thing] = reading.things
    by_document = (
        one.text != one.written
        and thing.text != one.written
        and thing.origin in (Origin(0), Origin.ABBREVIATION)
    )
    return by_document or bool(thing.origin & Origin.ABBREVIATION)


def _marked(hits: Hits, origins: Sequence[Origin]) -> Hits:
    marks = np.array(origins, np.uint16).reshape(-1, 1)
    hits.origins[:] |= np.where(hits.concepts >= 0, marks, 0).astype(np.uint16)
    return hits
