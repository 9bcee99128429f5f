"""Reranking by a dual encoder: the candidate whose vector is nearest to that of the mention in its sentence.

    score = weight · retrieval's score − Euclidean distance

Source: Le & Nguyen 2023, §3.2 (weight 0). Their 64 candidates are the ones that come in. Vectors of concepts are computed
once and kept: see `EntityVectors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats
from linnet.encode.model import REBUILD, Model, open_model
from linnet.errors import DamagedError
from linnet.rerank.dual_inputs import describe_concept, mentions_in_context
from linnet.rerank.entity_vectors import EntityVectors
from linnet.rerank.reranker import Concepts
from linnet.rerank.towers import Towers
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import Terminology
from linnet.types import Mention

__all__ = ["DualReranker", "combined_scores"]

_TOGETHER = 256  # mentions compared with their candidates at a time; bounds memory


class DualReranker:
    """Orders candidates by nearness of the concept to the mention in context."""

    kind = "dual"

    def __init__(self, towers: Towers, model: Model) -> None:
        """
        model  its options: `names` of a concept that are read, `weight` of retrieval's score, and `within`: mentions
               whose first two candidates are further apart in retrieval's score are left alone (absent: none are)
        """
        self._towers = towers
        self.name, self.digest = model.name, model.digest
        self._names, self._weight = int(model.options["names"]), float(model.options["weight"])
        self._within = float(model.options.get("within", np.inf))
        self._lock = Lock()
        self._entities: dict[str, EntityVectors] = {}

    @classmethod
    def open(cls, path: Path, *, threads: int | None = None) -> Self:
        """Open a model directory. Raises StoreError, DamagedError or MismatchError as `open_model`."""
        model = open_model(path, kind=cls.kind)
        towers: Towers
        match model.options.get("body"):
            case "static":
                from linnet.rerank.static import StaticTowers

                towers = StaticTowers.open(path)
            case "transformer":
                from linnet.rerank.transformer import TransformerTowers

                towers = TransformerTowers.open(path, model, threads=threads)
            case other:
                raise DamagedError(
                    f"{path} has the body '{other}'; expected 'static' or 'transformer'. {REBUILD}"
                )
        try:
            return cls(towers, model)
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"{path} lacks what a dual encoder needs: {error!r}. {REBUILD}") from None

    def rerank(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Hits:
        """See `Reranker.rerank`."""
        chosen = np.flatnonzero(self._asked(hits))
        ranked = Hits(hits.concepts.copy(), hits.names.copy(), hits.scores.copy(), hits.origins.copy())
        for start in range(0, len(chosen), _TOGETHER):
            rows = chosen[start : start + _TOGETHER]
            asked = mentions_in_context([mentions[row] for row in rows], [texts[row] for row in rows])
            some = hits.take(rows)
            distances = self._distances(self._towers.mentions(asked), some, concepts)
            scores = np.round(combined_scores(distances, some.scores, self._weight), 5)
            order = np.argsort(-scores, axis=1, kind="stable")
            ranked.concepts[rows] = np.take_along_axis(some.concepts, order, 1)
            ranked.names[rows] = np.take_along_axis(some.names, order, 1)
            ranked.scores[rows] = np.take_along_axis(scores, order, 1)
            origins = np.where(some.concepts >= 0, some.origins | np.uint16(Origin.RERANKED), 0)
            ranked.origins[rows] = np.take_along_axis(origins, order, 1)
        return ranked

    def _asked(self, hits: Hits) -> Any:
        """(N,) bool, whose candidates are reranked."""
        if hits.k < 2 or np.isinf(self._within):
            return (hits.concepts >= 0).any(axis=1)
        close = (
            hits.scores[:, 0] - np.where(hits.concepts[:, 1] >= 0, hits.scores[:, 1], -np.inf) <= self._within
        )
        return close & (hits.concepts[:, 1] >= 0)

    def _distances(self, vectors: Floats, hits: Hits, concepts: Concepts) -> Floats:
        """(N, k) Euclidean distances, inf where there is no candidate."""
        there = hits.concepts >= 0
        rows, places = np.unique(hits.concepts[there], return_inverse=True)
        candidates = np.zeros((*hits.concepts.shape, vectors.shape[1]), np.float32)
        candidates[there] = self._vectors(rows, concepts)[places]
        distances = np.sqrt(np.square(candidates - vectors[:, None]).sum(axis=2))
        return np.where(there, distances, np.inf).astype(np.float32)

    def _vectors(self, rows: Any, concepts: Concepts) -> Floats:
        """(n, D) of these rows, asked of each terminology for its own."""
        vectors = np.empty((len(rows), self._towers.dimensions), np.float32)
        for here, terminology, own in concepts.concepts(rows):
            vectors[here] = self._of(terminology)(own)
        return vectors

    def _of(self, terminology: Terminology) -> EntityVectors:
        with self._lock:
            if terminology.digest not in self._entities:
                self._entities[terminology.digest] = EntityVectors(
                    terminology.digest,
                    self.digest,
                    concepts=len(terminology),
                    dimensions=self._towers.dimensions,
                    compute=lambda rows: self._towers.entities(
                        [describe_concept(terminology, row, names=self._names) for row in rows]
                    ),
                )
            return self._entities[terminology.digest]


def combined_scores(distances: Floats, scores: Floats, weight: float) -> Floats:
    """(N, k) weight · score − distance, −inf where there is no candidate."""
    there = np.isfinite(scores) & np.isfinite(distances)
    return np.where(
        there, weight * np.where(there, scores, 0) - np.where(there, distances, 0), -np.inf
    ).astype(np.float32)
