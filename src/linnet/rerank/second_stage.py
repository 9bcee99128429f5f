"""The second stage: another encoder searches all names where the first reranker is unsure, and both lists are ranked as one.

A character encoder finds misspelt and inflected names, a transformer those in other words. The directory is a model
directory of kind `second-encoder`:

    encoder/             an encoder of names; each terminology holds its vectors in an index whose name the model says
    weights.safetensors  the scorer's weights
    calibrator.json      optional: turns its probabilities into calibrated ones
    first/               optional: the reranker of the first stage, a listwise one; without it, `open` finds it by name
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Doubles, Ints
from linnet.encode import Encoder, load_encoder
from linnet.encode.model import REBUILD, open_model
from linnet.encode.named_models import model_place
from linnet.encode.safetensors import read_safetensors
from linnet.errors import DamagedError, MismatchError
from linnet.io import artifact
from linnet.rerank.calibrator import Calibrator
from linnet.rerank.listwise import ListwiseReranker
from linnet.rerank.listwise_scorer import ListwiseScorer
from linnet.rerank.load import open_reranker
from linnet.rerank.reranker import Concepts, reorder
from linnet.rerank.second_stage_features import SECOND_FEATURES, pooled_features
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.slices import run_in_slices
from linnet.system.cores import cores
from linnet.types import Mention

__all__ = ["ENCODER", "FIRST", "WEIGHTS", "SecondStageReranker", "shared_encoder"]

ENCODER, FIRST, WEIGHTS = "encoder", "first", "weights.safetensors"
# The most mentions whose features are held at a time, and the fewest that are split among threads.
_BATCH, _SPLIT_FROM = 512, 64


class SecondStageReranker:
    """Ranks the candidates of both encoders and "none of these" among each other, for mentions of which the first stage is unsure."""

    kind = "second-encoder"

    def __init__(
        self,
        first: ListwiseReranker,
        encoder: Encoder,
        scorer: ListwiseScorer,
        *,
        calibrator: Calibrator,
        ask_below: float,
        found: int,
        name: str = "second-encoder",
        digest: str = "",
        threads: int | None = None,
    ) -> None:
        """
        first       the reranker of the first stage; its scores are probabilities
        scorer      of the first reranker's features, then `SECOND_FEATURES`
        calibrator  of the first reranker; without a curve its probabilities are taken as they are
        ask_below   calibrated probability of its best candidate below which the first stage counts as unsure
        found       candidates of the encoder
        threads     that share a batch, None for all cores; results do not depend on it
        """
        self.first, self.encoder, self.name, self.digest = first, encoder, name, digest
        self._scorer, self._calibrator, self._ask_below, self._found = scorer, calibrator, ask_below, found
        self._threads = threads or cores()

    @classmethod
    def open(cls, path: Path, *, threads: int | None = None) -> Self:
        """See `Reranker.open`. Also raises MismatchError if the first reranker is not the one it was trained with, or it was
        trained on features that this linnet does not compute."""
        model = open_model(path, kind=cls.kind)
        options = model.options
        if tuple(options.get("features", ())) != SECOND_FEATURES:
            raise MismatchError(f"{path} was trained on other features than this linnet computes.", REBUILD)
        first, place = _open_first(path, options, threads)
        encoder = shared_encoder(path / ENCODER, threads=threads)
        arrays = read_safetensors(path / WEIGHTS, rebuild=REBUILD)
        try:
            return cls(
                first,
                encoder,
                ListwiseScorer.of(arrays),
                calibrator=Calibrator.of_model(place),
                ask_below=float(options["ask_below"]),
                found=int(options["found"]),
                name=model.name,
                digest=model.digest,
                threads=threads,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"{path} cannot be used: {error!r}.", REBUILD) from None

    def rerank(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Hits:
        """See `Reranker.rerank`: as many candidates, the best of both lists. Scores are probabilities; the rest to 1 in a row
        is that of "none of these" and of the candidates that are left out."""
        ranked = self.first.rerank(mentions, texts, hits, concepts)
        result, rows = ranked.copy(), self.unsure(ranked)

        def rank_again(part: slice) -> None:
            unsure = rows[part]
            pool, features = pooled_features(
                self.first,
                self.encoder,
                [mentions[row] for row in unsure.tolist()],
                [texts[row] for row in unsure.tolist()],
                hits.take(unsure),
                concepts,
                found=self._found,
            )
            scores = self._scorer.probabilities(features, pool.concepts >= 0)
            result.put(unsure, reorder(pool, scores).top(hits.k))

        run_in_slices(rank_again, len(rows), most=_BATCH, alone=_SPLIT_FROM, threads=self._threads)
        return result

    def unsure(self, ranked: Hits) -> Ints:
        """The rows of the first reranker's ranking that it scored, and may be wrong in."""
        scored = (ranked.concepts[:, 0] >= 0) & (ranked.origins[:, 0] & Origin.RERANKED > 0)
        calibrated = self._calibrator.probabilities(ranked)
        scores: list[float] = ranked.scores[:, 0].tolist()
        best = [score if p is None else p for p, score in zip(calibrated, scores, strict=True)]
        return np.flatnonzero(scored & (np.asarray(best) < self._ask_below))

    def composites(self, mentions: Sequence[Mention], texts: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """See `Remembers.composites`: what the first reranker remembers."""
        return self.first.composites(mentions, texts)

    def recalled(self, texts: Sequence[str], ids: Sequence[Sequence[str]]) -> Doubles:
        """See `Remembers.recalled`."""
        return self.first.recalled(texts, ids)

    def without_memory(self) -> Self:
        """See `Remembers.without_memory`."""
        forgetful = copy(self)
        forgetful.first = self.first.without_memory()
        forgetful.digest = artifact.digest(f"{self.digest} without memory")
        return forgetful


def _open_first(path: Path, options: Mapping[str, Any], threads: int | None) -> tuple[ListwiseReranker, Path]:
    """The first reranker of a model, and its directory.

    Raises as `open_reranker`, and MismatchError if it is not the one that the model was trained with or not a listwise one.
    """
    own = path / FIRST
    place = own if own.is_dir() else str(options.get("first", ""))
    first = open_reranker(place, threads=threads)
    if first.digest != options.get("first_digest"):
        raise MismatchError(
            f"{path} was trained with reranker '{options.get('first')}' (digest {options.get('first_digest')}); "
            f"the one of that name now has digest {first.digest}.",
            REBUILD,
        )
    if not isinstance(first, ListwiseReranker):
        raise MismatchError(
            f"'{first.name}' is a reranker of kind {first.kind}; a second encoder stands behind a listwise one.",
            REBUILD,
        )
    return first, model_place(place)


def shared_encoder(path: Path, *, threads: int | None = None) -> Encoder:
    """The encoder in a directory, one for the reranker and the indexes of all terminologies. Raises as `load_encoder`."""
    return _encoder(path, open_model(path, checked=False).digest, threads)


@lru_cache(maxsize=1)
def _encoder(path: Path, digest: str, threads: int | None) -> Encoder:
    """`digest` tells apart what was replaced on disk."""
    return load_encoder(path, threads=threads)
