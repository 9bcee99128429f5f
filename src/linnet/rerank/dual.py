"""Rerank with a dual encoder: the concept whose vector is nearest to that of the mention in its sentence comes first.

    score = weight · retrieval's score − Euclidean distance

Source: Le & Nguyen 2023, §3.2 (weight 0), who rerank 64 candidates. Concept vectors are computed once and kept, see
`EntityVectors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats, Mask
from linnet.encode.model import REBUILD, Model, open_model
from linnet.errors import DamagedError
from linnet.rerank.dual_inputs import describe_concept, mentions_in_context
from linnet.rerank.dual_towers import DualTowers
from linnet.rerank.entity_vectors import EntityVectors
from linnet.rerank.reranker import Concepts, reorder
from linnet.retrieve.hits import Hits
from linnet.terminology import Terminology
from linnet.types import Mention

__all__ = ["DualReranker", "combined_scores"]

_BATCH = 256  # mentions compared with their candidates at a time; bounds memory


class DualReranker:
    """Orders candidates by the distance of the concept from the mention in context."""

    kind = "dual"

    def __init__(self, towers: DualTowers, model: Model) -> None:
        """
        model  its options: `names`, how many names of a concept are read; `weight` of retrieval's score; and `within`: leave a
               mention alone if its first two candidates differ more than this in retrieval's score (absent: rerank all);
               `expand_context`, whether abbreviations are expanded in the context too (absent: no)
        """
        self._towers = towers
        self.name, self.digest = model.name, model.digest
        self._names, self._weight = int(model.options["names"]), float(model.options["weight"])
        self._within = float(model.options.get("within", np.inf))
        self._expand_context = bool(model.options.get("expand_context", False))
        self._lock = Lock()
        self._entities: dict[str, EntityVectors] = {}

    @classmethod
    def open(cls, path: Path, *, threads: int | None = None) -> Self:
        """Open a model directory. Raises StoreError, DamagedError or MismatchError as `open_model`."""
        model = open_model(path, kind=cls.kind)
        body = model.options.get("body")
        if body != "transformer":
            raise DamagedError(f"{path} has the body '{body}'; expected 'transformer'.", REBUILD)
        towers = DualTowers.open(path, model, threads=threads)
        try:
            return cls(towers, model)
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"{path} lacks an option of a dual encoder: {error!r}.", REBUILD) from None

    def rerank(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Hits:
        """See `Reranker.rerank`."""
        ranked = hits.copy()
        chosen = np.flatnonzero(self._to_rerank(hits))
        defining = mentions if self._expand_context else None
        for start in range(0, len(chosen), _BATCH):
            rows = chosen[start : start + _BATCH]
            contexts = mentions_in_context(
                [mentions[row] for row in rows], [texts[row] for row in rows], defining=defining
            )
            batch = hits.take(rows)
            distances = self._distances(self._towers.mentions(contexts), batch, concepts)
            ranked.put(rows, reorder(batch, combined_scores(distances, batch.scores, self._weight)))
        return ranked

    def _to_rerank(self, hits: Hits) -> Mask:
        """(N,) which mentions to rerank."""
        if hits.k < 2 or np.isinf(self._within):
            return np.asarray((hits.concepts >= 0).any(axis=1))
        several = hits.concepts[:, 1] >= 0
        second = np.where(several, hits.scores[:, 1], -np.inf)
        return several & (hits.scores[:, 0] - second <= self._within)

    def _distances(self, vectors: Floats, hits: Hits, concepts: Concepts) -> Floats:
        """(N, k) Euclidean distances, inf without a candidate."""
        present = hits.concepts >= 0
        rows, places = np.unique(hits.concepts[present], return_inverse=True)
        candidates = np.zeros((*hits.concepts.shape, vectors.shape[1]), np.float32)
        candidates[present] = self._concept_vectors(rows, concepts)[places]
        distances = np.sqrt(np.square(candidates - vectors[:, None]).sum(axis=2))
        return np.where(present, distances, np.inf).astype(np.float32)

    def _concept_vectors(self, rows: Any, concepts: Concepts) -> Floats:
        """(n, D) vectors of these concept rows, each from its own terminology."""
        vectors = np.empty((len(rows), self._towers.dimensions), np.float32)
        for at, terminology, own_rows in concepts.concepts(rows):
            vectors[at] = self._entity_vectors(terminology)(own_rows)
        return vectors

    def _entity_vectors(self, terminology: Terminology) -> EntityVectors:
        def encode(rows: Sequence[int]) -> Floats:
            concepts = [describe_concept(terminology, row, names=self._names) for row in rows]
            return self._towers.entities(concepts)

        with self._lock:
            if terminology.digest not in self._entities:
                self._entities[terminology.digest] = EntityVectors(
                    terminology.digest,
                    self.digest,
                    concepts=len(terminology),
                    dimensions=self._towers.dimensions,
                    compute=encode,
                )
            return self._entities[terminology.digest]


def combined_scores(distances: Floats, scores: Floats, weight: float) -> Floats:
    """(N, k) weight · score − distance, −inf without a candidate."""
    present = np.isfinite(scores) & np.isfinite(distances)
    score, distance = np.where(present, scores, 0), np.where(present, distances, 0)
    return np.where(present, weight * score - distance, -np.inf).astype(np.float32)
