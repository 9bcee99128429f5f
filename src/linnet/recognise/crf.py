"""Linear-chain conditional random field (CRF) over the labels of a sentence: best path, and probability of a mention.

    score(path) = start[y₁] + Σ emissions[t, yₜ] + Σ transitions[yₜ₋₁, yₜ] + end[y_T]

Sentences are processed in parallel; the results of one do not depend on the others.
Sources: Lafferty, McCallum and Pereira 2001; probability of a segment: Culotta and McCallum 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linnet.arrays import Doubles, Floats, Ints
from linnet.recognise.bioes import Labels, TokenSpan
from linnet.recognise.packed_sentences import PackedSentences

__all__ = ["CRF", "FORBIDDEN"]

FORBIDDEN = -1e4  # score of an illegal transition: a path with one is never the best


@dataclass(frozen=True, slots=True)
class CRF:
    """start (L,), transitions (L, L) from row to column, end (L,); FORBIDDEN where `Labels.legal` is false."""

    start: Floats
    transitions: Floats
    end: Floats

    def best_paths(self, emissions: Floats, sentences: Sequence[int]) -> Ints:
        """(T,) labels of the path with the highest score in each sentence; ties go to the lower last label.

        emissions  (T, L)        sentences  as in `Tokens`
        """
        packed = PackedSentences.of(sentences)
        labels = np.zeros(len(emissions), np.int64)
        previous = np.zeros(emissions.shape, np.int64)
        scores = self.start + emissions[packed.firsts]
        transitions = self.transitions.T  # from column to row: maxima along rows are faster
        for step in range(1, len(packed.batch_sizes)):
            tokens = packed.forward(step)
            extended = scores[: len(tokens), None, :] + transitions
            previous[tokens] = extended.argmax(axis=2)
            scores[: len(tokens)] = extended.max(axis=2) + emissions[tokens]
        labels[packed.lasts] = (scores + self.end).argmax(axis=1)
        for step in range(len(packed.batch_sizes) - 1, 0, -1):
            tokens = packed.forward(step)
            labels[tokens - 1] = previous[tokens, labels[tokens]]
        return labels

    def probabilities(
        self, emissions: Floats, sentences: Sequence[int], spans: Sequence[TokenSpan], labels: Labels
    ) -> list[float]:
        """For each span, the probability that exactly these tokens are a mention of this type, over all paths.

        spans  each within one sentence
        """
        if not spans:
            return []
        firsts = np.array([span.first for span in spans], np.int64)
        lasts = np.array([span.last - 1 for span in spans], np.int64)
        sentence = np.searchsorted(np.asarray(sentences), firsts, side="right") - 1
        chosen, own = np.unique(sentence, return_inverse=True)
        scores = emissions.astype(np.float64)
        forward, backward = self._forward_backward(scores, PackedSentences.of(sentences, chosen=chosen))
        ends = np.asarray(sentences, np.int64)[chosen + 1] - 1
        totals = _log_sums(forward[ends] + self.end, np.ones((len(self.end), 1)))[:, 0]

        paths = [labels.of_span(span) for span in spans]
        begins, closes = np.array([path[0] for path in paths]), np.array([path[-1] for path in paths])
        logs = forward[firsts, begins] + backward[lasts, closes] - totals[own]
        for number, (span, path) in enumerate(zip(spans, paths, strict=True)):
            for position in range(1, len(path)):
                logs[number] += self.transitions[path[position - 1], path[position]]
                logs[number] += scores[span.first + position, path[position]]
        probabilities: list[float] = np.exp(np.minimum(logs, 0.0)).tolist()
        return probabilities

    def _forward_backward(self, scores: Doubles, packed: PackedSentences) -> tuple[Doubles, Doubles]:
        """(T, L) log sums over all paths that end with each label, its score included, and over all that continue it."""
        # A path with a forbidden transition has no weight, so labels that no path reaches have −∞.
        weights = np.exp(self.transitions.astype(np.float64))
        turned = np.ascontiguousarray(weights.T)
        forward, backward = np.zeros(scores.shape), np.zeros(scores.shape)
        forward[packed.firsts] = self.start + scores[packed.firsts]
        backward[packed.lasts] = self.end
        for step in range(1, len(packed.batch_sizes)):
            tokens = packed.forward(step)
            forward[tokens] = _log_sums(forward[tokens - 1], weights) + scores[tokens]
            tokens = packed.backward(step)
            backward[tokens] = _log_sums(scores[tokens + 1] + backward[tokens + 1], turned)
        return forward, backward


def _log_sums(scores: Doubles, weights: Doubles) -> Doubles:
    """(S, M), (M, N) → (S, N) log Σ exp(score) · weight. Not a product of BLAS, which rounds differently for other numbers of rows."""
    top = scores.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        sums: Doubles = np.log(np.einsum("sm,mn->sn", np.exp(scores - top), weights))
    sums += top
    return sums
