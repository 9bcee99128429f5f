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
from typing import Self

import numpy as np

from linnet.arrays import Doubles, Floats
from linnet.encode.model import REBUILD, open_model, opening_weights
from linnet.encode.safetensors import read_safetensors
from linnet.encode.session import POOLINGS, Session
from linnet.rerank.cross_inputs import PairTokens, describe_candidates
from linnet.rerank.dual_inputs import mentions_in_context
from linnet.rerank.first_reranker import BehindFirst, FirstReranker
from linnet.rerank.reranker import Concepts, reorder
from linnet.retrieve.hits import Hits
from linnet.types import Mention

__all__ = ["GRAPH", "HEAD", "LEAST", "SMALLEST", "TOKENIZER", "CrossEncoderReranker", "combined"]

GRAPH, TOKENIZER, HEAD = "model.onnx", "tokenizer.json", "head.safetensors"
# Candidates that the first reranker finds less probable than this are not asked about.
LEAST = 0.002
SMALLEST = 1e-6  # a probability, before its logarithm is taken


class CrossEncoderReranker(BehindFirst):
    """Adds what it reads to the log-probabilities of another reranker, for mentions of which that one is unsure.

    Both are scores of one softmax over the candidates and "none of these", whose score from the cross-encoder is 0.
    """

    kind = "cross-encoder"

    def __init__(
        self,
        first: FirstReranker,
        session: Session,
        tokens: PairTokens,
        head: Floats,
        *,
        weight: float,
        name: str = "cross-encoder",
        digest: str = "",
    ) -> None:
        """
        head    (D + 1,) from vectors to scores, the last a constant
        weight  of the first reranker's log-probabilities
        """
        self.first, self.name, self.digest = first, name, digest
        self._session, self._tokens, self._head, self._weight = session, tokens, head, weight

    @classmethod
    def open(cls, path: Path, *, threads: int | None = None) -> Self:
        """See `Reranker.open`. Also raises MismatchError if the first reranker is not the one it was trained with."""
        from tokenizers import Tokenizer

        model = open_model(path, kind=cls.kind)
        options = model.options
        first = FirstReranker.open(path, options, threads=threads)
        with opening_weights(path):
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
                name=model.name,
                digest=model.digest,
            )

    def rerank(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Hits:
        """See `Reranker.rerank`. Scores are probabilities; the rest to 1 in a row is that of "none of these"."""
        ranked = self.first.reranker.rerank(mentions, texts, hits, concepts)
        rows = self.first.unsure(ranked)
        if not len(rows):
            return ranked
        unsure = ranked.take(rows)
        scores = self.scores(
            [mentions[row] for row in rows.tolist()], [texts[row] for row in rows.tolist()], unsure, concepts
        )
        again = reorder(unsure, combined(unsure.scores, scores, weight=self._weight))
        result = ranked.copy()
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
