"""Dense retrieval of concepts by vectors of name and definition, for mentions in context.

    form   search                                                     when
    flat   exact: every vector is compared                            up to some 100,000s of concepts
    hnsw   FAISS HNSW, m = 16, efConstruction = efSearch = 100        millions of concepts; loses about a point of recall

Source: TrainX §3. Held in memory; encoding the concepts takes longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np

from linnet.blas import single_threaded_blas
from linnet.cores import cores
from linnet.encode import unit
from linnet.errors import UnknownNameError
from linnet.retrieve.fixed_point import FixedPointVectors, to_fixed_point
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.match_ranking import rank_matches
from linnet.terminology import Terminology
from linnet.types import Mention

__all__ = ["FORMS", "EntityIndex", "TwoTowers"]

FORMS = ("flat", "hnsw")
# Texts encoded, or mentions searched, at a time; bounds memory.
_TOGETHER = 2048


class TwoTowers(Protocol):
    """Mentions and entities → vectors to compare by cosine, order kept; `linnet.encode.two_tower` has one."""

    def encode_mentions(self, mentions: Sequence[Mention]) -> Any: ...
    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> Any: ...


class EntityIndex:
    """Concepts by vector. Scores are cosines.

    defined  how many of the concepts have a definition, which the others' vectors do without
    """

    def __init__(
        self, terminology: Terminology, encoder: TwoTowers, *, form: str = "flat", threads: int | None = None
    ) -> None:
        """Encodes all concepts, each by its preferred name and its definition.

        threads  of search and graph, None for all cores; results do not depend on it

        Raises UnknownNameError for an unknown form.
        """
        if form not in FORMS:
            raise UnknownNameError("dense form", form, FORMS)
        self.terminology, self._encoder = terminology, encoder
        self._threads = threads or cores()
        self.defined = 0
        parts = [
            self._encoded(range(start, min(start + _TOGETHER, len(terminology))))
            for start in range(0, len(terminology), _TOGETHER)
        ]
        vectors = np.concatenate(parts)
        self._vectors = FixedPointVectors(vectors)
        self._graph = None
        if form == "hnsw":
            from linnet.retrieve.hnsw import HnswGraph

            self._graph = HnswGraph.build(vectors)

    def _encoded(self, rows: range) -> Any:
        definitions = [self.terminology.definition(row) for row in rows]
        self.defined += sum(map(bool, definitions))
        names = [self.terminology.name(row) for row in rows]
        return to_fixed_point(unit(self._encoder.encode_entities(names, definitions)))

    def search(self, mentions: Sequence[Mention], *, k: int) -> Hits:
        """The k nearest concepts of each mention, in the order of the mentions, through their preferred names.

        Ties go to the lower row. A graph may find fewer than k, or not the nearest.
        """
        starts = range(0, len(mentions) if k else 0, _TOGETHER)
        with single_threaded_blas(), ThreadPoolExecutor(self._threads) as pool:
            parts = list(pool.map(lambda start: self._search(mentions[start : start + _TOGETHER], k), starts))
        return Hits.stack(parts) if parts else Hits.empty(len(mentions), k)

    def _search(self, mentions: Sequence[Mention], k: int) -> Hits:
        queries = to_fixed_point(unit(self._encoder.encode_mentions(mentions)))
        if self._graph is not None:
            found = self._graph.nearest(queries, count=min(k, len(self._vectors)))
        else:
            found = self._vectors.nearest(queries, groups=k)
        hits = rank_matches(
            found.queries,
            self.terminology.first_name[found.forms],
            1 + self._vectors.scores(queries, found),  # `rank_matches` wants none below 0
            count=len(queries),
            terminology=self.terminology,
            k=k,
            origin=Origin.DENSE,
            allowed=None,
        )
        hits.scores[:] = np.round(hits.scores - 1, 5)
        return hits
