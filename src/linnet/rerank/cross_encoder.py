"""A cross-encoder asked where another reranker is unsure: it reads a mention in its sentence together with each candidate.

Its directory is a model directory of kind `cross-encoder`:

    model.onnx           token ids (N, L) → a vector per token (N, L, D)
    tokenizer.json
    head.safetensors     the scores of vectors, and the weight of the first reranker's probabilities
    calibrator.json      optional: turns its probabilities into calibrated ones
    first/               optional: the first reranker; without it, `open` finds it by name
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet import artifact
from linnet.arrays import Doubles, Floats, Mask
from linnet.encode.model import REBUILD, open_model
from linnet.encode.named_models import model_place
from linnet.encode.safetensors import read_safetensors
from linnet.encode.session import POOLINGS, Session
from linnet.errors import DamagedError, MismatchError
from linnet.rerank.calibrator import FILE, Calibrator
from linnet.rerank.cross_inputs import PairTokens, describe_candidates
from linnet.rerank.dual_inputs import mentions_in_context
from linnet.rerank.reranker import (
    Concepts,
    RemembersComposites,
    RemembersMentions,
    Reranker,
    reorder,
)
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Mention

__all__ = ["FIRST", "GRAPH", "HEAD", "LEAST", "SMALLEST", "TOKENIZER", "CrossEncoderReranker", "combined"]

GRAPH, TOKENIZER, HEAD, FIRST = "model.onnx", "tokenizer.json", "head.safetensors", "first"
# Candidates that the first reranker finds less probable than this are not asked about.
LEAST = 0.002
SMALLEST = 1e-6  # a probability, before its logarithm is taken


class CrossEncoderReranker:
    """Adds what it reads to the log-probabilities of another reranker, for mentions of which that one is unsure.

    Both are scores of one softmax over the candidates and "none of these", whose score from the cross-encoder is 0.
    """

    kind = "cross-encoder"

    def __init__(
        self,
        first: Reranker,
        session: Session,
        tokens: PairTokens,
        head: Floats,
        *,
        weight: float,
        ask_below: float,
        calibrator: Calibrator,
        name: str = "cross-encoder",
        digest: str = "",
    ) -> None:
        """
        first       its scores are probabilities; the rest to 1 is that of "none of these"
        head        (D + 1,) from vectors to scores, the last a constant
        weight      of the first reranker's log-probabilities
        ask_below   calibrated probability below which it is asked
        calibrator  of the first reranker; without a curve its scores are taken as probabilities
        """
        self.first, self.name, self.digest = first, name, digest
        self._session, self._tokens, self._head = session, tokens, head
        self._weight, self._ask_below, self._calibrator = weight, ask_below, calibrator

    @classmethod
    def open(cls, path: Path, *, threads: int | None = None) -> Self:
        """See `Reranker.open`. Also raises MismatchError if the first reranker is not the one it was trained with."""
        from tokenizers import Tokenizer

        from linnet.rerank.load import open_reranker

        model = open_model(path, kind=cls.kind)
        options = model.options
        own = path / FIRST
        place = own if own.is_dir() else str(options.get("first", ""))
        first = open_reranker(place, threads=threads)
        if first.digest != options.get("first_digest"):
            raise MismatchError(
                f"{path} was trained with reranker '{options.get('first')}' (digest {options.get('first_digest')}); "
                f"the one of that name now has digest {first.digest}. {REBUILD}"
            )
        beside = model_place(place) / FILE
        try:
            tokens = PairTokens(
                Tokenizer.from_file(str(path / TOKENIZER)),
                first=str(options["first_token"]),
                between=str(options["between_token"]),
            )
            arrays = read_safetensors(path / HEAD, rebuild=REBUILD)
            session = Session.open(
                path / GRAPH,
                dimensions=model.dimensions,
                precision=str(options["precision"]),
                threads=threads,
            )
            return cls(
                first,
                session,
                tokens,
                np.asarray(arrays["head"], np.float32),
                weight=float(arrays["weight"][0]),
                ask_below=float(options["ask_below"]),
                calibrator=Calibrator.open(beside) if beside.is_file() else Calibrator(),
                name=model.name,
                digest=model.digest,
            )
        except DamagedError:
            raise
        except Exception as error:  # both libraries raise bare Exceptions of their own
            raise DamagedError(f"{path} cannot be used: {error} {REBUILD}") from None

    def rerank(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Hits:
        """See `Reranker.rerank`. Scores are probabilities; the rest to 1 in a row is that of "none of these"."""
        ranked = self.first.rerank(mentions, texts, hits, concepts)
        rows = np.flatnonzero(self._is_unsure(ranked))
        if not len(rows):
            return ranked
        unsure = ranked.take(rows)
        scores = self.scores(
            [mentions[row] for row in rows.tolist()], [texts[row] for row in rows.tolist()], unsure, concepts
        )
        again = reorder(unsure, combined(unsure.scores, scores, weight=self._weight))
        result = Hits(
            ranked.concepts.copy(), ranked.names.copy(), ranked.scores.copy(), ranked.origins.copy()
        )
        result.put(rows, again)
        return result

    def scores(
        self, mentions: Sequence[Mention], texts: Sequence[str], ranked: Hits, concepts: Concepts
    ) -> Doubles:
        """(N, k) what the cross-encoder adds to each candidate of the first reranker's ranking; nan where it was not asked."""
        asked = (ranked.concepts >= 0) & (ranked.scores >= LEAST)
        kept = Hits(np.where(asked, ranked.concepts, -1), ranked.names, ranked.scores, ranked.origins)
        described = describe_candidates(kept, concepts)
        parts = self._tokens.mentions(mentions_in_context(mentions, texts))
        sides = self._tokens.candidates([candidate for of_mention in described for candidate in of_mention])
        places = np.repeat(np.arange(len(parts)), asked.sum(axis=1)).tolist()
        pairs = [(*parts[place], *side) for place, side in zip(places, sides, strict=True)]
        scores = np.full(ranked.concepts.shape, np.nan)
        scores[asked] = self._scores(pairs)
        return scores

    def _scores(self, pairs: Sequence[tuple[int, ...]]) -> Doubles:
        """(M,) of sequences of token ids; the same sequence is read once."""
        place = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
        vectors = self._session.vectors(list(place), POOLINGS["cls"]).astype(np.float64)
        # Row by row: the order of BLAS sums depends on the number of rows.
        values = (vectors * self._head[:-1]).sum(axis=1) + self._head[-1]
        return np.asarray(values[[place[pair] for pair in pairs]], np.float64)

    def _is_unsure(self, ranked: Hits) -> Mask:
        """(N,) whether the first reranker scored it, and may be wrong."""
        scored = (ranked.concepts[:, 0] >= 0) & (ranked.origins[:, 0] & Origin.RERANKED > 0)
        known = self._calibrator.probabilities(ranked)
        best: Any = [
            score if p is None else p for p, score in zip(known, ranked.scores[:, 0].tolist(), strict=True)
        ]
        return np.asarray(scored & (np.asarray(best) < self._ask_below), bool)

    def composites(self, mentions: Sequence[Mention], texts: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """See `RemembersComposites.composites`: those of the first reranker."""
        return self.first.composites(mentions, texts) if isinstance(self.first, RemembersComposites) else {}

    def remembers(self, texts: Sequence[str]) -> Mask:
        """See `RemembersMentions.remembers`: what the first reranker does."""
        if isinstance(self.first, RemembersMentions):
            return self.first.remembers(texts)
        return np.zeros(len(texts), bool)

    def without_memory(self) -> Self:
        """See `RemembersMentions.without_memory`."""
        first = self.first.without_memory() if isinstance(self.first, RemembersMentions) else self.first
        return type(self)(
            first,
            self._session,
            self._tokens,
            self._head,
            weight=self._weight,
            ask_below=self._ask_below,
            calibrator=self._calibrator,
            name=self.name,
            digest=artifact.digest(f"{self.digest} without memory"),
        )


def combined(probabilities: Floats, scores: Doubles, *, weight: float) -> Floats:
    """(N, k) the probabilities of candidates, 0 without one; the rest to 1 is that of "none of these".

    probabilities  (N, k) of the first reranker, −inf without a candidate
    scores         (N, k) of the cross-encoder; nan for those it was not asked about, which get its least
    """
    present = np.isfinite(probabilities)
    first = np.where(present, probabilities, 0).astype(np.float64)
    none = np.maximum(1 - first.sum(axis=1), SMALLEST)
    least = np.where(np.isnan(scores), np.inf, scores).min(axis=1, initial=np.inf)
    least = np.where(np.isfinite(least), least, 0.0)
    added = np.where(np.isnan(scores), least[:, None], scores)
    logits = np.where(present, weight * np.log(np.maximum(first, SMALLEST)) + added, -np.inf)
    of_none = weight * np.log(none)
    top = np.maximum(logits.max(axis=1, initial=-np.inf), of_none)
    odds = np.exp(logits - top[:, None])
    total = odds.sum(axis=1) + np.exp(of_none - top)
    return np.asarray(odds / total[:, None], np.float32)
