"""What a reader learns from: strings with the concepts that they mean, and all readings of each, right or wrong."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from linnet.arrays import Doubles
from linnet.errors import DataError
from linnet.evaluate.gold import gold_mentions
from linnet.evaluate.system import blank
from linnet.io.settings_files import check_at_least
from linnet.link.choose import Chooser
from linnet.link.linker import Linker
from linnet.link.lookup import Lookup
from linnet.link.reading_features import Features
from linnet.link.readings import Query, Reading, Recall
from linnet.train.composed_strings import KINDS, compose
from linnet.train.sources import AskedSettings, Source
from linnet.types import Document, Mention
from linnet.words.text import key, simplify

__all__ = [
    "Example",
    "MeantElsewhere",
    "Question",
    "ReaderSource",
    "StringSettings",
    "examples",
    "foreign_names",
    "held_out",
    "questions",
    "scaled",
]

HELD_OUT = "held out"
"""Kind of the names held out, beside those of composed strings."""

_RARE = 2  # a mention that is no more frequent is rare
_WRITTEN, _HELD_OUT = (
    0.7,
    1 / 3,
)  # of the names that strings are composed of, mentions of a corpus and names held out
_BATCH = 3000  # strings that are looked up together


@dataclass(frozen=True, kw_only=True)
class ReaderSource(AskedSettings):
    """A source of a reader: annotated corpora, names held out of a terminology and strings composed of these and others, or only
    composed strings. Mentions of a corpus that are texts of their own are strings; those without a concept name nothing.

    name            in scores and in `foreign`; by default that of the first corpus, or of the terminology
    composed        so many strings more are composed of the terminology's names and of those held out
    foreign         sources of whose names some are composed as what the terminology does not have
    weight          of a string
    total           of all mentions, or names held out, instead: their weights are scaled to add up to it
    composed_total  the same of all composed strings
    """

    name: str = ""
    composed: int = 0
    foreign: tuple[str, ...] = ()
    weight: float = 1.0
    total: float | None = None
    composed_total: float | None = None

    def __post_init__(self) -> None:
        check_at_least(self, 0, "composed", "weight", "total", "composed_total")
        if self.corpora or self.names or self.absent or not self.composed:
            AskedSettings.__post_init__(self)
        if self.foreign and not self.composed:
            raise ValueError("'foreign' is of composed strings; expected 'composed', their number.")

    @property
    def label(self) -> str:
        """The name, or the default."""
        return self.name or (self.corpora[0].name.split(".")[0] if self.corpora else self.terminology.name)


@dataclass(frozen=True, kw_only=True)
class StringSettings:
    """The section `[strings]`: how much strings count, and what is asked of them.

    kinds          weights of kinds of composed strings (`linnet.train.composed_strings.KINDS`); others 1
    with_comma     factors of strings with a comma and a blank, by kind, "held out" for names held out: whether a comma divides
    absent         weight of names held out of which the terminology has no concept
    near           a string that no reading links right is learnt from if the concept is among so many of its best candidates
    near_weight    weight of such a string
    foreign_names  of each source that composed strings have foreign names from
    candidates     of a text
    """

    kinds: Mapping[str, float] = field(default_factory=dict)
    with_comma: Mapping[str, float] = field(default_factory=dict)
    absent: float = 0.15
    near: int = 5
    near_weight: float = 0.5
    foreign_names: int = 10_000
    candidates: int = 8

    def __post_init__(self) -> None:
        check_at_least(self, 0, "absent", "near", "near_weight")
        check_at_least(self, 0, "foreign_names")
        check_at_least(self, 1, "candidates")
        for name in [*self.kinds, *self.with_comma]:
            if name not in KINDS and not (name == HELD_OUT and name in self.with_comma):
                raise ValueError(
                    f"{name!r} is no kind of composed string; expected one of {', '.join(KINDS)}."
                )


class Question(NamedTuple):
    """A string, the ids of what it means (none: nothing), and how much it counts.

    label  of its source; composed strings have one of their own
    kind   of a composed string, `HELD_OUT`, or ""
    """

    query: Query
    concepts: tuple[str, ...]
    label: str
    kind: str
    weight: float


class Example(NamedTuple):
    """A string with its readings: the features of each, whether it is right, and a number for what it names; one at least is right."""

    question: Question
    features: list[Features]
    right: list[bool]
    names: list[int]
    weight: float

    def without(self, names: Collection[str]) -> Example:
        """The string without these features."""
        return self._replace(
            features=[{k: v for k, v in reading.items() if k not in names} for reading in self.features]
        )


def held_out(source: Source) -> list[tuple[str, str]]:
    """The names held out of a source's terminology with their concepts, which it has."""
    return [
        (mention.text, mention.concepts[0]) for mention in gold_mentions(source.documents) if mention.concepts
    ]


def rare_mentions(source: Source, types: Collection[str]) -> list[tuple[str, str]]:
    """The distinct texts that a corpus mentions once or twice, with their concept."""
    mentions = [mention for mention in gold_mentions(source.documents, types=types) if mention.concepts]
    often = Counter(mention.text for mention in mentions)
    return sorted(
        {(m.text, m.concepts[0]) for m in mentions if often[m.text] <= _RARE and len(m.concepts) == 1}
    )


class MeantElsewhere:
    """A `Recall` of a corpus for its own mentions: what mentions of the same words meant in the other documents, if they mean in this
    one what is asked about."""

    def __init__(self, documents: Iterable[Document], types: Collection[str]) -> None:
        self._documents: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._all: dict[str, set[str]] = defaultdict(set)
        for mention in gold_mentions(documents, types=types):
            self._all[_words(mention.text)].add(mention.document.id)
            if len(mention.concepts) == 1:
                self._documents[_words(mention.text), mention.concepts[0]].add(mention.document.id)

    def __call__(self, texts: Sequence[str], ids: Sequence[Sequence[str]]) -> Doubles:
        """See `Recall`."""
        return np.array(
            [[self._share(_words(text), id) for id in own] for text, own in zip(texts, ids, strict=True)]
        )

    def _share(self, words: str, id: str) -> float:
        others, meant = len(self._all.get(words, ())) - 1, len(self._documents.get((words, id), ())) - 1
        return max(0, meant) / others if others > 0 else np.nan


def _words(text: str) -> str:
    return " ".join(map(key, simplify(text).split()))


def questions(
    source: Source,
    settings: ReaderSource,
    linker: Linker,
    strings: StringSettings,
    *,
    foreign: Sequence[str],
    seed: int,
) -> list[Question]:
    """The strings of a source.

    linker   to its terminology
    foreign  names that composed strings have, and the terminology does not
    """
    mentions = list(gold_mentions(blank(source.documents), types=settings.types))
    golds = [mention.concepts for mention in gold_mentions(source.documents, types=settings.types)]
    factors = [settings.weight * (strings.absent if settings.names and not gold else 1.0) for gold in golds]
    kinds = [HELD_OUT if settings.names else ""] * len(golds)
    made = _distinct(linker.queries(mentions), golds, settings.label, kinds, factors, strings)
    if settings.composed:
        names = rare_mentions(source, settings.types) if settings.corpora else held_out(source)
        composed = compose(
            source.terminology,
            count=settings.composed,
            seed=seed,
            held_out=names,
            foreign=foreign,
            share=_WRITTEN if settings.corpora else _HELD_OUT,
        )
        kinds = [string.kind for string in composed]
        made += _distinct(
            linker.queries([Mention.alone(string.text) for string in composed]),
            [string.concepts for string in composed],
            f"{settings.label}, composed",
            kinds,
            [settings.weight * strings.kinds.get(kind, 1.0) for kind in kinds],
            strings,
        )
    return made


def _distinct(
    queries: Sequence[Query],
    golds: Sequence[tuple[str, ...]],
    label: str,
    kinds: Sequence[str],
    factors: Sequence[float],
    strings: StringSettings,
) -> list[Question]:
    """Each string once, whatever is around it."""
    distinct: dict[tuple[str, str, tuple[str, ...]], Question] = {}
    for query, gold, kind, factor in zip(queries, golds, kinds, factors, strict=True):
        concepts = tuple(sorted(set(gold)))
        if query.in_text and not concepts:  # annotators leave out concepts for other reasons, too
            continue
        if ", " in query.text:
            factor *= strings.with_comma.get(kind, 1.0)
        distinct.setdefault(
            (query.written, query.text, concepts), Question(query, concepts, label, kind, factor)
        )
    return list(distinct.values())


def examples(
    wanted: Sequence[Question],
    linker: Linker,
    *,
    weights: Mapping[str, float],
    recalled: Recall,
    strings: StringSettings,
) -> list[Example]:
    """Those of the strings that have both right and wrong readings.

    weights   of features, by which parts of strings are read
    recalled  what mentions of a text meant elsewhere

    Where no reading is right, those are that read a string as one thing with its concept among the first candidates.
    """
    group = linker.group
    respelt = lru_cache(maxsize=None)(group.respelt)
    chooser = Chooser(group, respelt, weights=weights, recalled=recalled, shorthand=True)
    rows = _Rows(linker)
    made: list[Example] = []
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start : start + _BATCH]
        lookup = Lookup(group, k=strings.candidates)
        readings = chooser.readings([question.query for question in batch], lookup, composites=True)
        for question in batch:
            ranked, gold = readings[question.query], rows.of(question.concepts)
            if len(ranked) < 2 or gold is None:
                continue
            right, weight = [_is_right(reading, gold) for reading in ranked], question.weight
            if question.kind == "partly":
                right = _told(right, ranked)
            if not any(right) and len(gold) == 1:
                right = [_is_near(reading, gold[0], lookup, strings.near) for reading in ranked]
                weight *= strings.near_weight
            if any(right) and not all(right):
                numbers: dict[frozenset[int], int] = {}
                names = [numbers.setdefault(reading.concepts, len(numbers)) for reading in ranked]
                made.append(Example(question, [reading.features for reading in ranked], right, names, weight))
    return made


class _Rows:
    """Concept rows of ids."""

    def __init__(self, linker: Linker) -> None:
        [self._terminology] = linker.terminologies
        self._row = lru_cache(maxsize=None)(self._rows)

    def of(self, ids: Iterable[str]) -> list[frozenset[int]] | None:
        """The rows that each id stands for; None where the terminology lacks one."""
        rows = [self._row(id) for id in ids]
        return rows if all(rows) else None

    def _rows(self, id: str) -> frozenset[int]:
        rows = map(self._terminology.row, self._terminology.resolve(id))
        return frozenset(row for row in rows if row >= 0)


def _is_right(reading: Reading, gold: Sequence[frozenset[int]]) -> bool:
    """Whether a reading has each concept, and no others."""
    concepts = reading.concepts
    return concepts <= frozenset().union(*gold) and all(concepts & rows for rows in gold)


def _told(right: list[bool], readings: Sequence[Reading]) -> list[bool]:
    """Only readings that tell what they leave out, if any of these is right: others happen to name no more than there is."""
    told = [good and "divided" in reading.features for good, reading in zip(right, readings, strict=True)]
    return told if any(told) else right


def _is_near(reading: Reading, rows: frozenset[int], lookup: Lookup, near: int) -> bool:
    if len(reading.things) != 1 or reading.left_out or not lookup.is_searched(reading.things[0].text):
        return False
    [hits] = lookup.hits([reading.things[0].text]).concepts[:, :near].tolist()
    return not rows.isdisjoint(hits)


def foreign_names(source: Source, *, count: int, seed: int) -> list[str]:
    """`count` names of a source's terminology, of the types that it asks for; fewer if it has fewer."""
    wanted = set(source.settings.concepts)
    concepts = (concept for concept in source.terminology if not wanted or wanted & set(concept.types))
    names = [name for concept in concepts for name in concept.all_names]
    return random.Random(seed).sample(names, min(count, len(names)))


def scaled(made: Sequence[Example], totals: Mapping[str, float | None]) -> list[Example]:
    """The examples with their weights scaled to the totals of their labels, where these have one.

    Raises DataError for a label without an example that counts.
    """
    sums = dict.fromkeys(totals, 0.0)
    for example in made:
        sums[example.question.label] += example.weight
    factors = {}
    for label, total in totals.items():
        if sums[label] <= 0:
            raise DataError(
                f"nothing can be learnt from the source '{label}': none of its strings has both a right and a wrong reading and "
                "a weight above 0. Check that its terminology has its concepts, or leave it out."
            )
        factors[label] = 1.0 if total is None else total / sums[label]
    return [example._replace(weight=example.weight * factors[example.question.label]) for example in made]
