"""How well an encoder links by itself: the nearest name of a terminology to each mention of a development corpus.

No exact match, no fusion, no reranking: what is measured is what training changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.artifact import digest
from linnet.encode import unit
from linnet.errors import UnknownNameError
from linnet.terminology import Terminology
from linnet.text import simplify
from linnet.train.corpus import LinkedMentions, TableColumns, linked_mentions, read_mentions
from linnet.types import Mention

__all__ = ["METRICS", "EvaluationSettings", "NearestNames", "nearest_accuracy", "open_validation"]

Encode = Callable[[Sequence[str]], Any]
"""Texts → (N, D) array, raw; order kept."""

METRICS = ("cosine", "inner", "euclidean")
_CELLS = 1 << 23  # scores held at a time, 32 MB
_TOGETHER = 4096  # texts given to the encoder at a time


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings:
    """The section `[evaluation]`: nearest names of `terminology` to the mentions of `corpora`.

    types  only mentions of these types        columns  of corpora that are tables
    names  look among so many drawn names, see `NearestNames`
    """

    terminology: Path
    corpora: tuple[Path, ...]
    types: tuple[str, ...] = ()
    columns: TableColumns = field(default_factory=TableColumns)
    names: int | None = None


class NearestNames:
    """Development mentions and the names they are looked for among, prepared once and scored as often as wanted.

    Texts and names are compared as dense indexes compare them: in `linnet.text.simplify` form, abbreviations spelt out.
    """

    def __init__(
        self,
        terminology: Terminology,
        mentions: Iterable[Mention],
        *,
        ks: Sequence[int] = (1, 64),
        metric: str = "cosine",
        names: int | None = None,
        seed: int = 0,
    ) -> None:
        """
        mentions  those with one concept that the terminology has are looked for; see `linked_mentions`
        metric    "cosine", "inner" (product of raw vectors) or "euclidean" (distance of raw vectors)
        names     look among the names of the mentions' own concepts and so many others, drawn by `seed`, which is
                  quicker and easier than among all (None); figures with different `names` do not compare

        Raises DataError where no mention is left, UnknownNameError for an unknown metric.
        """
        if metric not in METRICS:
            raise UnknownNameError("metric", metric, METRICS)
        self.metric, self.ks = metric, tuple(ks)
        self.linked: LinkedMentions = linked_mentions(mentions, terminology)
        rows = _names(terminology, self.linked.concepts, names, seed)
        numbers: dict[str, int] = {}
        texts = np.fromiter(
            (numbers.setdefault(simplify(terminology.names[int(row)]), len(numbers)) for row in rows),
            np.int64,
            len(rows),
        )
        owners = np.asarray(terminology.name_concepts)[rows].astype(np.int64)
        order = np.argsort(texts, kind="stable")
        # Text t belongs to the concepts owners[starts[t] : starts[t + 1]].
        self._names, self._owners = list(numbers), owners[order]
        self._starts: Ints = np.searchsorted(texts[order], np.arange(len(numbers) + 1))
        asked: dict[tuple[str, int], int] = {}
        self._place = [
            asked.setdefault((simplify(text), int(concept)), len(asked))
            for text, concept in zip(self.linked.texts, self.linked.concepts, strict=True)
        ]
        self._questions = list(asked)

    def __call__(self, encode: Encode) -> dict[str, float]:
        """acc@k for each k, 0 to 1: the share of mentions whose concept is among the k concepts of the nearest names.

        A name that several concepts have is right for each of them; of different names equally near, the wrong comes
        first, so that vectors that are all the same score nothing.
        """
        ranks = self.ranks(encode)
        return {f"acc@{k}": float(np.mean(ranks <= k)) for k in self.ks}

    def ranks(self, encode: Encode) -> Ints:
        """(M,) place of the right concept among the nearest names' of each mention of `linked`, from 1."""
        return self._ranks(encode)[self._place]

    def _ranks(self, encode: Encode) -> Ints:
        """(Q,) likewise, of each distinct question."""
        names = _encoded(encode, self._names)
        queries = _encoded(encode, [text for text, _ in self._questions])
        if self.metric == "cosine":
            names, queries = unit(names), unit(queries)
        # A mention's own length does not change which names are nearest.
        offsets = np.square(names).sum(1) / 2 if self.metric == "euclidean" else np.float32(0)
        own = _texts_of(self._owners, self._starts)
        ranks = np.empty(len(queries), np.int64)
        block = max(1, _CELLS // max(1, len(names)))
        for start in range(0, len(queries), block):
            scores = queries[start : start + block] @ names.T - offsets
            for i, row in enumerate(scores, start):
                ranks[i] = self._rank(row, own[self._questions[i][1]], self._questions[i][1])
        return ranks

    def _rank(self, scores: Floats, own: Ints, concept: int) -> int:
        best = own[np.argmax(scores[own])]
        # Not "above": a score that is no number is never above another.
        before = np.flatnonzero(~(scores < scores[best]))
        before = before[before != best]
        counts = self._starts[before + 1] - self._starts[before]
        places = np.repeat(self._starts[before] - np.cumsum(counts) + counts, counts) + np.arange(
            counts.sum()
        )
        others = np.unique(self._owners[places])
        return 1 + int((others != concept).sum())


def nearest_accuracy(
    encode: Encode,
    terminology: Terminology,
    mentions: Iterable[Mention],
    *,
    ks: Sequence[int] = (1, 64),
    metric: str = "cosine",
    names: int | None = None,
    seed: int = 0,
) -> dict[str, float]:
    """acc@k of an encoder alone; see `NearestNames`, which is for scoring more than once."""
    return NearestNames(terminology, mentions, ks=ks, metric=metric, names=names, seed=seed)(encode)


def open_validation(
    settings: EvaluationSettings, *, metric: str = "cosine", seed: int = 0
) -> tuple[NearestNames, str]:
    """What a run file's section `[evaluation]` asks for, and a digest of what was read for it."""
    mentions, of_corpora = read_mentions(settings.corpora, types=settings.types, columns=settings.columns)
    terminology = Terminology.open(settings.terminology)
    nearest = NearestNames(terminology, mentions, metric=metric, names=settings.names, seed=seed)
    return nearest, digest(of_corpora, terminology.digest)


def _encoded(encode: Encode, texts: Sequence[str]) -> Floats:
    parts = [
        np.asarray(encode(texts[i : i + _TOGETHER]), np.float32) for i in range(0, len(texts), _TOGETHER)
    ]
    return np.concatenate(parts)


def _names(terminology: Terminology, concepts: Ints, others: int | None, seed: int) -> Ints:
    """Name rows to look among, ascending."""
    total = len(terminology.names)
    if others is None:
        return np.arange(total)
    own = np.isin(np.asarray(terminology.name_concepts), np.unique(concepts))
    rest = np.flatnonzero(~own)
    drawn = np.random.default_rng(seed).choice(rest, size=min(others, len(rest)), replace=False)
    return np.sort(np.concatenate([np.flatnonzero(own), drawn]))


def _texts_of(owners: Ints, starts: Ints) -> dict[int, Ints]:
    """Concept → its texts."""
    texts = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.argsort(owners, kind="stable")
    concepts, first = np.unique(owners[order], return_index=True)
    return dict(zip(concepts.tolist(), np.split(texts[order], first[1:]), strict=True))
