"""A linear-chain conditional random field over the labels of sentences: best paths, and how probable a mention is.

    score(path) = start[y₁] + Σ emissions[t, yₜ] + Σ transitions[yₜ₋₁, yₜ] + end[y_T]

Sentences are gone through side by side; each gets the same numbers whatever others there are.
Source: Lafferty, McCallum and Pereira 2001; probability of a segment after Culotta and McCallum 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linnet.arrays import Doubles, Floats, Ints
from linnet.recognise.labels import Labels, TokenSpan
from linnet.recognise.lockstep import Lockstep

__all__ = ["FORBIDDEN", "Chain"]

FORBIDDEN = -1e4  # score of what is not legal: no path that has it is ever the best


@dataclass(frozen=True, slots=True)
class Chain:
    """start (L,), transitions (L, L) from row to column, end (L,); FORBIDDEN where `Labels.legal` says no."""

    start: Floats
    transitions: Floats
    end: Floats

    def best_paths(self, emissions: Floats, sentences: Sequence[int]) -> Ints:
        """(T,) labels of the highest score in each sentence; of equal ones that with the lower label last.

        emissions  (T, L)        sentences  as in `Tokens`
        """
        steps = Lockstep.of(sentences)
        labels = np.zeros(len(emissions), np.int64)
        before = np.zeros(emissions.shape, np.int64)
        score = self.start + emissions[steps.firsts]
        into = self.transitions.T  # to row from column: maxima along rows are quicker
        for step in range(1, len(steps.active)):
            tokens = steps.forward(step)
            through = score[: len(tokens), None, :] + into
            before[tokens] = through.argmax(axis=2)
            score[: len(tokens)] = through.max(axis=2) + emissions[tokens]
        labels[steps.lasts] = (score + self.end).argmax(axis=1)
        for step in range(len(steps.active) - 1, 0, -1):
            tokens = steps.forward(step)
            labels[tokens - 1] = before[tokens, labels[tokens]]
        return labels

    def probabilities(
        self, emissions: Floats, sentences: Sequence[int], spans: Sequence[TokenSpan], labels: Labels
    ) -> list[float]:
        """Of each span, that exactly these tokens are a mention of this type: the share of all paths that say so.

        spans  none of them across a sentence end
        """
        if not spans:
            return []
        firsts = np.array([span.first for span in spans], np.int64)
        lasts = np.array([span.last - 1 for span in spans], np.int64)
        sentence = np.searchsorted(np.asarray(sentences), firsts, side="right") - 1
        chosen, own = np.unique(sentence, return_inverse=True)
        scores = emissions.astype(np.float64)
        ahead, behind = self._sums(scores, Lockstep.of(sentences, chosen=chosen))
        ends = np.asarray(sentences, np.int64)[chosen + 1] - 1
        totals = _log_sum((ahead[ends] + self.end)[:, :, None])[:, 0]

        paths = [labels.of_span(span) for span in spans]
        begins, closes = np.array([path[0] for path in paths]), np.array([path[-1] for path in paths])
        found = ahead[firsts, begins] + behind[lasts, closes] - totals[own]
        for number, (span, path) in enumerate(zip(spans, paths, strict=True)):
            for place in range(1, len(path)):
                found[number] += self.transitions[path[place - 1], path[place]]
                found[number] += scores[span.first + place, path[place]]
        probabilities: list[float] = np.exp(np.minimum(found, 0.0)).tolist()
        return probabilities

    def _sums(self, scores: Doubles, steps: Lockstep) -> tuple[Doubles, Doubles]:
        """(T, L) logs of the sums over all paths up to each label, its own score included, and from behind it on."""
        transitions = self.transitions.astype(np.float64)
        ahead, behind = np.zeros(scores.shape), np.zeros(scores.shape)
        ahead[steps.firsts] = self.start + scores[steps.firsts]
        behind[steps.lasts] = self.end
        for step in range(1, len(steps.active)):
            tokens = steps.forward(step)
            ahead[tokens] = _log_sum(ahead[tokens - 1, :, None] + transitions) + scores[tokens]
            tokens = steps.backward(step)
            following = scores[tokens + 1] + behind[tokens + 1]
            behind[tokens] = _log_sum(transitions.T + following[:, :, None])
        return ahead, behind


def _log_sum(scores: Doubles) -> Doubles:
    """(S, M, N) → (S, N) log of the sum of exponentials of each column."""
    top = scores.max(axis=1)
    summed: Doubles = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
    return summed
