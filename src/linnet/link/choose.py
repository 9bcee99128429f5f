"""The choice among the readings of each mention: what it names, one thing or several or nothing, and each in which form.

`linnet.read` proposes readings, `linnet.link.reading_features` says what speaks for and against each, and the weights of a
`linnet.link.reader` decide: the softmax over the readings of a string is how sure the choice is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from linnet.link.lookup import Lookup
from linnet.link.readings import Query, Reading, Readings, Recall, Thing, shares
from linnet.link.terminology_group import TerminologyGroup
from linnet.read.divide import tree
from linnet.read.forms import is_contested
from linnet.read.placeholders import placeholder
from linnet.retrieve.exact import SCORES
from linnet.retrieve.hits import Hits, Origin
from linnet.system.recent_values import RecentValues

__all__ = ["Choice", "Chooser", "Chosen", "Parts", "confidence"]

_CACHED = 50_000  # mentions; some 70 MB with 64 candidates
_SHORT = 3  # letters of a placeholder that a name does not outweigh: "NA"

Parts = list[tuple[str, Hits]]
"""The text and the (1, k) hits of each part of a composite."""


class Chosen(NamedTuple):
    """The reading chosen for a mention.

    text        the text to link
    hits        (1, k) its candidates; origins show how they were made
    parts       of a composite; [] for one thing
    confidence  0 to 1: that the mention names these things, if each is linked right; 0: nothing
    expanded    whether an abbreviation or short form was written out
    """

    text: str
    hits: Hits
    parts: Parts
    confidence: float
    expanded: bool


class Choice(NamedTuple):
    """The readings chosen for N mentions.

    texts       (N,) the texts to link
    hits        (N, k) their candidates
    splits      row → parts of a composite
    confidence  row → see `Chosen`; 1 for other rows
    expanded    rows in which an abbreviation or short form was written out
    """

    texts: list[str]
    hits: Hits
    splits: dict[int, Parts]
    confidence: dict[int, float]
    expanded: frozenset[int] = frozenset()

    @classmethod
    def of(cls, chosen: Sequence[Chosen], *, k: int) -> Choice:
        """Of the single ones, with k candidates each; the arrays are its own."""
        return cls(
            [each.text for each in chosen],
            Hits.stack([each.hits for each in chosen]) if chosen else Hits.empty(0, k),
            {row: each.parts for row, each in enumerate(chosen) if each.parts},
            {row: each.confidence for row, each in enumerate(chosen) if each.confidence < 1},
            frozenset(row for row, each in enumerate(chosen) if each.expanded),
        )


class Chooser:
    """Chooses how to read mentions. Not changed by use, but for the cache of what was chosen."""

    def __init__(
        self,
        group: TerminologyGroup,
        respelt: Callable[[str], str | None],
        *,
        weights: Mapping[str, float],
        recalled: Recall,
        shorthand: bool,
        amounts: bool = False,
    ) -> None:
        """
        respelt    a text with misspelt words corrected, or None
        recalled   what mentions of a text meant
        weights    of the features
        shorthand  write out clinical short forms, lay, brand and foreign names
        amounts    amounts belong to names, and are not left out
        """
        self._group, self._respelt, self._amounts = group, respelt, amounts
        self._weights, self._recalled, self._shorthand = weights, recalled, shorthand
        self._cache = RecentValues[tuple[Query, int, bool], Chosen](size=_CACHED)

    def choose(self, queries: Sequence[Query], *, k: int, composites: bool) -> Choice:
        """The most probable reading of each mention, with k candidates for each part; `composites`: divide strings."""

        def choose_new(keys: Sequence[tuple[Query, int, bool]]) -> list[Chosen]:
            return self._choose([query for query, *_ in keys], k=k, composites=composites)

        keys = [(query, k, composites) for query in queries]
        chosen = self._cache.of(keys, choose_new)
        return Choice.of([chosen[key] for key in keys], k=k)

    def _choose(self, queries: Sequence[Query], *, k: int, composites: bool) -> list[Chosen]:
        """The most probable reading of each of these distinct mentions."""
        lookup = Lookup(self._group, k=k)
        ranked = self.readings(queries, lookup, composites=composites)
        if not self._group.is_distance_known:
            # That nothing is near tells little.
            ranked = {query: _without_doubt(readings) for query, readings in ranked.items()}
        lookup.search(text for query in queries for text in _linked(query, ranked[query][0]))
        return [_chosen(query, ranked[query], lookup) for query in queries]

    def readings(
        self, queries: Iterable[Query], lookup: Lookup, *, composites: bool
    ) -> dict[Query, list[Reading]]:
        """The readings of each distinct mention, the most probable first."""
        distinct = list(dict.fromkeys(queries))
        lookup.look_up(query.text for query in distinct)
        sure = {
            query
            for query in distinct
            if lookup.exact(query.text) >= SCORES["fold"] and not self._is_contested(query)
        }
        roots = {
            query: tree(query.text, composites=composites, shorthand=self._shorthand)
            for query in distinct
            if query not in sure
        }
        readings = Readings(
            lookup,
            roots,
            weights=self._weights,
            respelt=self._respelt,
            recalled=self._recalled,
            shorthand=self._shorthand,
            amounts=self._amounts,
        )
        return {
            query: [_literal(query, lookup)] if query in sure else readings.of(query) for query in distinct
        }

    def _is_contested(self, query: Query) -> bool:
        """Whether a text that is literally a name may mean something else: a short form that nearly always has another reading, or,
        in a table, a short placeholder."""
        is_short = not query.in_text and sum(map(str.isalpha, query.text)) <= _SHORT
        return (self._shorthand and is_contested(query.text)) or (is_short and bool(placeholder(query.text)))


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


def _literal(query: Query, lookup: Lookup) -> Reading:
    return Reading((Thing(query.text, Origin(0), lookup.best(query.text)),), {}, 0.0)


def _without_doubt(readings: list[Reading]) -> list[Reading]:
    """The readings without that as nothing where no rule says so, unless it is the only one."""
    kept = [each for each in readings if each.things or each.features.keys() != {"nothing"}]
    return kept or readings


def _linked(query: Query, reading: Reading) -> list[str]:
    """The text of a mention to link, then those of its parts."""
    parts = [thing.text for thing in reading.things]
    return parts if len(parts) == 1 else [query.text, *parts]


def _chosen(query: Query, ranked: Sequence[Reading], lookup: Lookup) -> Chosen:
    """The first reading of a mention; its texts have been searched for."""
    reading = ranked[0]
    text, *_ = _linked(query, reading)
    origin = reading.things[0].origin & ~Origin.ABBREVIATION if len(reading.things) == 1 else Origin(0)
    return Chosen(
        text,
        _marked(lookup.hits([text]), origin),
        _parts(reading, lookup),
        confidence(ranked) if reading.things else 0.0,
        _is_expanded(query, reading),
    )


def _parts(reading: Reading, lookup: Lookup) -> Parts:
    """The parts of a composite, and what was left out as a part without a concept; [] for one thing."""
    if not reading.things or (len(reading.things) == 1 and not reading.left_out):
        return []
    parts = [(thing.text, _marked(lookup.hits([thing.text]), thing.origin)) for thing in reading.things]
    return [*parts, *((text, Hits.empty(1, lookup.k)) for text in reading.left_out)]


def _is_expanded(query: Query, reading: Reading) -> bool:
    """Whether an abbreviation that the document defines, or a short form, was written out in what is read as one thing."""
    if len(reading.things) != 1:
        return False
    [thing] = reading.things
    by_document = (
        query.text != query.written
        and thing.text != query.written
        and thing.origin in (Origin(0), Origin.ABBREVIATION)
    )
    return by_document or bool(thing.origin & Origin.ABBREVIATION)


def _marked(hits: Hits, origin: Origin) -> Hits:
    """(1, k) the hits with this origin beside their own."""
    hits.origins[hits.concepts >= 0] |= np.uint16(origin)
    return hits
