"""A second encoder asked where another reranker is unsure: it searches all names again, and both lists are ranked as one.

A character encoder finds misspelt and inflected names, a transformer those in other words. Its directory is a model
directory of kind `second-encoder`:

    encoder/             an encoder of names; each terminology holds its vectors in an index whose name the model says
    weights.safetensors  the scorer's weights
    calibrator.json      optional: turns its probabilities into calibrated ones
    first/               optional: the first reranker, a listwise one; without it, `open` finds it by name
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from pathlib import Path
from typing import Self

import numpy as np

from linnet import artifact
from linnet.arrays import Doubles, Floats
from linnet.cores import cores
from linnet.encode import Encoder, load_encoder
from linnet.encode.model import REBUILD, open_model
from linnet.encode.safetensors import read_safetensors
from linnet.errors import DamagedError, MismatchError
from linnet.rerank.first_reranker import FirstReranker
from linnet.rerank.listwise_scorer import ListwiseScorer
from linnet.rerank.reranker import Concepts, reorder
from linnet.rerank.second_features import SECOND_FEATURES, second_features
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.slices import run_in_slices
from linnet.types import Mention

__all__ = ["ENCODER", "WEIGHTS", "SecondEncoderReranker", "pooled", "shared_encoder"]

ENCODER, WEIGHTS = "encoder", "weights.safetensors"
# The most mentions whose features are held at a time, and the fewest that are split among threads.
_BATCH, _SPLIT_FROM = 512, 64


class SecondEncoderReranker:
    """Ranks the candidates of both encoders among each other and "none of these", for mentions of which the first is unsure."""

    kind = "second-encoder"

    def __init__(
        self,
        first: FirstReranker,
        encoder: Encoder,
        scorer: ListwiseScorer | None,
        *,
        found: int,
        name: str = "second-encoder",
        digest: str = "",
        threads: int | None = None,
    ) -> None:
        """
        scorer   of the first reranker's features, then `SECOND_FEATURES`; None where only `features` are wanted
        found    candidates of the second encoder
        threads  that share a batch, None for all cores; results do not depend on it
        """
        self.first, self.encoder, self.name, self.digest = first, encoder, name, digest
        self.scorer, self._found = scorer, found
        self._threads = threads or cores()

    @classmethod
    def open(cls, path: Path, *, threads: int | None = None) -> Self:
        """See `Reranker.open`. Also raises MismatchError if the first reranker is not the one it was trained with, or it was
        trained on features that this linnet does not compute."""
        model = open_model(path, kind=cls.kind)
        if tuple(model.options.get("features", ())) != SECOND_FEATURES:
            raise MismatchError(f"{path} was trained on other features than this linnet computes. {REBUILD}")
        first = FirstReranker.open(path, model.options, threads=threads)
        encoder = shared_encoder(path / ENCODER, threads=threads)
        arrays = read_safetensors(path / WEIGHTS, rebuild=REBUILD)
        try:
            scorer, found = ListwiseScorer.of(arrays), int(model.options["found"])
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"{path} cannot be used: {error!r}. {REBUILD}") from None
        return cls(first, encoder, scorer, found=found, name=model.name, digest=model.digest, threads=threads)

    def rerank(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Hits:
        """See `Reranker.rerank`: as many candidates, the best of both lists. Scores are probabilities; the rest to 1 in a row
        is that of "none of these" and of the candidates that are left out."""
        ranked = self.first.reranker.rerank(mentions, texts, hits, concepts)
        rows, scorer = self.first.unsure(ranked), self.scorer
        if not len(rows) or scorer is None:
            return ranked
        result = ranked.copy()

        def again(part: slice) -> None:
            some = rows[part]
            asked = [mentions[row] for row in some.tolist()], [texts[row] for row in some.tolist()]
            pool, features = self.features(*asked, hits.take(some), concepts)
            scores = scorer.probabilities(features, pool.concepts >= 0)
            result.put(some, reorder(pool, scores).top(hits.k))

        run_in_slices(again, len(rows), most=_BATCH, alone=_SPLIT_FROM, threads=self._threads)
        return result

    def features(
        self,
        mentions: Sequence[Mention],
        texts: Sequence[str],
        hits: Hits,
        concepts: Concepts,
        *,
        found: Hits | None = None,
    ) -> tuple[Hits, Floats]:
        """The candidates of both encoders, (N, k + found), and the input of the scorer, (N, k + found, F).

        found  (N, found) those of the second encoder, if known
        """
        found = concepts.nearest(texts, self.encoder, k=self._found) if found is None else found
        pool, listwise = pooled(hits, found, concepts), self.first.reranker
        features = listwise.features(mentions, texts, pool, concepts)
        cosines = features[..., listwise.column("cosine")]
        first = np.zeros(pool.concepts.shape, bool)
        first[:, : hits.k] = hits.concepts >= 0
        more = second_features(texts, pool, found, concepts, self.encoder, cosines=cosines, first=first)
        return pool, np.concatenate([features, more], axis=-1)

    def composites(self, mentions: Sequence[Mention], texts: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """See `RemembersComposites.composites`: what the first remembers."""
        return self.first.reranker.composites(mentions, texts)

    def recalled(self, texts: Sequence[str], ids: Sequence[Sequence[str]]) -> Doubles:
        """See `RemembersMentions.recalled`."""
        return self.first.reranker.recalled(texts, ids)

    def without_memory(self) -> Self:
        """See `RemembersMentions.without_memory`."""
        forgetful = copy(self)
        forgetful.first = self.first.without_memory()
        forgetful.digest = artifact.digest(f"{self.digest} without memory")
        return forgetful


def shared_encoder(place: Path, *, threads: int | None = None) -> Encoder:
    """The encoder in a directory, one for the reranker and the indexes of all terminologies. Raises as `load_encoder`."""
    return _encoder(place, open_model(place, checked=False).digest, threads)


@lru_cache(maxsize=1)
def _encoder(place: Path, digest: str, threads: int | None) -> Encoder:
    """`digest` tells apart what was replaced on disk."""
    return load_encoder(place, threads=threads)


def pooled(hits: Hits, found: Hits, concepts: Concepts) -> Hits:
    """(N, k + m) the candidates, then those of `found` that are not among them, each id once.

    Scores of the second encoder are no scores of the first: they become 0.
    """
    pool = Hits.empty(len(hits), hits.k + found.k)
    pool.put(slice(None), hits)
    of_hits, of_found = (_ids(part, concepts) for part in (hits, found))
    for row, (own, others) in enumerate(zip(of_hits, of_found, strict=True)):
        seen, place = set(own), len(own)
        for at, id in enumerate(others):
            if id in seen:
                continue
            seen.add(id)
            pool.concepts[row, place], pool.names[row, place] = found.concepts[row, at], found.names[row, at]
            pool.scores[row, place], pool.origins[row, place] = 0.0, Origin.DENSE
            place += 1
    return pool


def _ids(hits: Hits, concepts: Concepts) -> list[list[str]]:
    """The ids of each row's candidates, in their order."""
    present = hits.concepts >= 0
    ids = iter(concepts.ids(hits.concepts[present].astype(np.int64)))
    return [[next(ids) for _ in range(count)] for count in present.sum(axis=1).tolist()]
