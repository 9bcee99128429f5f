"""The mentions on the best path through each sentence, and the probability of these and of other spans."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from linnet.arrays import Floats
from linnet.recognise.bioes import Labels, TokenSpan
from linnet.recognise.crf import CRF

__all__ = ["judged_spans"]


def judged_spans(
    emissions: Sequence[Floats],
    sentences: Sequence[Sequence[int]],
    crf: CRF,
    labels: Labels,
    wanted: Sequence[Sequence[TokenSpan]],
) -> list[tuple[list[TokenSpan], list[float], list[float]]]:
    """For each document, the mentions on the best path through each sentence, the probability of each, and of each span wanted.

    emissions  (T, L) of each document's tokens        sentences  of each document, as in `Tokens`
    """
    bounds = [0]
    for ends in sentences:
        bounds += [bounds[-1] + end for end in ends[1:]]
    together = np.concatenate([*emissions, np.zeros((0, len(labels)), np.float32)])
    begins = list(accumulate(map(len, emissions), initial=0))
    spans = labels.spans(crf.best_paths(together, bounds).tolist())
    moved = [
        TokenSpan(begin + span.first, begin + span.last, span.kind)
        for begin, named in zip(begins, wanted, strict=False)
        for span in named
    ]
    probabilities = crf.probabilities(together, bounds, [*spans, *moved], labels)
    others = iter(probabilities[len(spans) :])
    by_document: list[tuple[list[TokenSpan], list[float], list[float]]] = []
    at = 0
    for begin, end, named in zip(begins, begins[1:], wanted, strict=False):
        stop = next((i for i in range(at, len(spans)) if spans[i].first >= end), len(spans))
        shifted = [TokenSpan(s.first - begin, s.last - begin, s.kind) for s in spans[at:stop]]
        by_document.append((shifted, probabilities[at:stop], [next(others) for _ in named]))
        at = stop
    return by_document
