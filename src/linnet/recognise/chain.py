"""A linear-chain conditional random field over the labels of a sentence: its best path, and how probable a mention is.

    score(path) = start[y₁] + Σ emissions[t, yₜ] + Σ transitions[yₜ₋₁, yₜ] + end[y_T]

Source: Lafferty, McCallum and Pereira 2001; probability of a segment after Culotta and McCallum 2004.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.recognise.labels import Labels, TokenSpan

__all__ = ["FORBIDDEN", "Chain"]

Floats = np.ndarray[Any, np.dtype[np.float32]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]

FORBIDDEN = -1e4  # score of what is not legal: no path that has it is ever the best


@dataclass(frozen=True, slots=True)
class Chain:
    """start (L,), transitions (L, L) from row to column, end (L,); FORBIDDEN where `Labels.legal` says no."""

    start: Floats
    transitions: Floats
    end: Floats

    def best_path(self, emissions: Floats) -> list[int]:
        """(T,) labels of the highest score; of equal ones that with the lower label last. emissions (T, L), T ≥ 1."""
        score = self.start + emissions[0]
        before = np.zeros(emissions.shape, np.int64)
        for place in range(1, len(emissions)):
            through = score[:, None] + self.transitions
            before[place] = through.argmax(axis=0)
            score = through.max(axis=0) + emissions[place]
        path = [int((score + self.end).argmax())]
        for place in range(len(emissions) - 1, 0, -1):
            path.append(int(before[place, path[-1]]))
        return path[::-1]

    def probabilities(self, emissions: Floats, spans: list[TokenSpan], labels: Labels) -> list[float]:
        """Of each span, that exactly these tokens are a mention of this type: the share of all paths that say so."""
        if not spans:
            return []
        steps = emissions.astype(np.float64)
        transitions = self.transitions.astype(np.float64)
        length = len(steps)
        ahead, behind = np.zeros(steps.shape), np.zeros(steps.shape)
        ahead[0] = self.start + steps[0]
        for place in range(1, length):
            ahead[place] = _log_sum(ahead[place - 1][:, None] + transitions) + steps[place]
        behind[-1] = self.end
        for place in range(length - 2, -1, -1):
            behind[place] = _log_sum((transitions + steps[place + 1] + behind[place + 1]).T)
        total = _log_sum((ahead[-1] + self.end)[:, None])[0]
        found: list[float] = []
        for span in spans:
            path = labels.of_span(span)
            score = ahead[span.first, path[0]] + behind[span.last - 1, path[-1]] - total
            for place in range(1, len(path)):
                score += transitions[path[place - 1], path[place]] + steps[span.first + place, path[place]]
            found.append(float(np.exp(min(score, 0.0))))
        return found


def _log_sum(scores: Doubles) -> Doubles:
    """(M, N) → (N,) log of the sum of exponentials of each column."""
    top = scores.max(axis=0)
    summed: Doubles = top + np.log(np.exp(scores - top).sum(axis=0))
    return summed
