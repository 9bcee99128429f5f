"""How well an encoder links by itself: the terminology's names nearest to each mention of a development corpus.

No exact match, no fusion, no reranking: only what training changes is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.encode import unit
from linnet.encode.features import ranges
from linnet.errors import UnknownNameError
from linnet.io.artifact import digest
from linnet.terminology import Terminology
from linnet.train.corpus import LinkedMentions, TableColumns, linked_mentions, read_mentions
from linnet.train.sampling import own_and_others
from linnet.types import Mention
from linnet.words.text import simplify

__all__ = ["METRICS", "EvaluationSettings", "NearestNames", "open_validation"]

Encode = Callable[[Sequence[str]], Any]
"""Texts → (N, D) array, raw; order kept."""

METRICS = ("cosine", "inner", "euclidean")
_CELLS = 1 << 23  # scores held at a time, 32 MB
_TOGETHER = 4096  # texts given to the encoder at a time


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings:
    """The section `[evaluation]`: the names of `terminology` nearest to the mentions of `corpora`.

    types  only mentions of these types        columns  of corpora that are tables
    names  number of names, drawn, to search; see `NearestNames`
    """

    terminology: Path
    corpora: tuple[Path, ...]
    types: tuple[str, ...] = ()
    columns: TableColumns = field(default_factory=TableColumns)
    names: int | None = None


class NearestNames:
    """Development mentions and the names to rank for each, prepared once for any number of evaluations.

    As in dense indexes, texts and names have `linnet.words.text.simplify` form, and abbreviations are spelt out.
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
        mentions  those with one concept that the terminology has count; see `linked_mentions`
        metric    "cosine", "inner" (product of raw vectors) or "euclidean" (distance of raw vectors)
        names     number of other names, drawn by `seed`, to search beside those of the mentions' concepts; None for all.
                  Fewer names are quicker and easier: scores with different `names` are not comparable

        Raises DataError where no mention is left, UnknownNameError for an unknown metric.
        """
        if metric not in METRICS:
            raise UnknownNameError("metric", metric, METRICS)
        self.metric, self.ks = metric, tuple(ks)
        self.linked: LinkedMentions = linked_mentions(mentions, terminology)
        name_concepts = np.asarray(terminology.name_concepts)
        own = np.isin(name_concepts, self.linked.concepts)
        rows = own_and_others(own, names, np.random.default_rng(seed))
        numbers: dict[str, int] = {}
        texts = np.fromiter(
            (numbers.setdefault(simplify(terminology.names[int(row)]), len(numbers)) for row in rows),
            np.int64,
            len(rows),
        )
        owners = name_concepts[rows].astype(np.int64)
        order = np.argsort(texts, kind="stable")
        # Text t belongs to the concepts owners[starts[t] : starts[t + 1]].
        self._names, self._owners = list(numbers), owners[order]
        self._starts: Ints = np.searchsorted(texts[order], np.arange(len(numbers) + 1))
        queries: dict[tuple[str, int], int] = {}
        self._query_of = [
            queries.setdefault((simplify(text), int(concept)), len(queries))
            for text, concept in zip(self.linked.texts, self.linked.concepts, strict=True)
        ]
        self._queries = list(queries)

    def __call__(self, encode: Encode) -> dict[str, float]:
        """acc@k for each k, 0 to 1: the share of mentions whose concept is among the k concepts of the nearest names.

        A name shared by several concepts is right for each. Wrong names win ties, so that equal vectors score 0.
        """
        ranks = self.ranks(encode)
        return {f"acc@{k}": float(np.mean(ranks <= k)) for k in self.ks}

    def ranks(self, encode: Encode) -> Ints:
        """(M,) rank, from 1, of each mention's concept among the concepts of its nearest names."""
        return self._ranks(encode)[self._query_of]

    def _ranks(self, encode: Encode) -> Ints:
        """(Q,) rank for each distinct pair of text and concept."""
        names = _encoded(encode, self._names)
        queries = _encoded(encode, [text for text, _ in self._queries])
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
                concept = self._queries[i][1]
                ranks[i] = self._rank(row, own[concept], concept)
        return ranks

    def _rank(self, scores: Floats, own: Ints, concept: int) -> int:
        best = own[np.argmax(scores[own])]
        # Not ">=": NaN compares false, and must not win.
        before = np.flatnonzero(~(scores < scores[best]))
        before = before[before != best]
        starts = self._starts[before]
        others = np.unique(self._owners[ranges(starts, self._starts[before + 1] - starts)])
        return 1 + int((others != concept).sum())


def open_validation(
    settings: EvaluationSettings, *, metric: str = "cosine", seed: int = 0
) -> tuple[NearestNames, str]:
    """What a run file's section `[evaluation]` asks for, and a digest of the data."""
    mentions, of_corpora = read_mentions(settings.corpora, types=settings.types, columns=settings.columns)
    terminology = Terminology.open(settings.terminology)
    nearest = NearestNames(terminology, mentions, metric=metric, names=settings.names, seed=seed)
    return nearest, digest(of_corpora, terminology.digest)


def _encoded(encode: Encode, texts: Sequence[str]) -> Floats:
    batches = (texts[start : start + _TOGETHER] for start in range(0, len(texts), _TOGETHER))
    return np.concatenate([np.asarray(encode(batch), np.float32) for batch in batches])


def _texts_of(owners: Ints, starts: Ints) -> dict[int, Ints]:
    """Concept → its texts."""
    texts = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.argsort(owners, kind="stable")
    concepts, first = np.unique(owners[order], return_index=True)
    return dict(zip(concepts.tolist(), np.split(texts[order], first[1:]), strict=True))
