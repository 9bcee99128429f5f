"""The tagger's network, computed with numpy: words in, a score for each label of each token out.

    x = relu(W · [sum of bucket vectors of the word, the encoder's vector of the word, signals] + b)
    h = LSTM in both directions over each sentence of x
    p = mean of h over the group of the token, see `TokenFeatures`
    y = relu(C · [h of the token before, h, h of the token after, p] + c)
    emissions = V · y + d

Source: Huang, Xu and Yu 2015 (bidirectional LSTM and CRF); the mean over a document's like words after Akbik et al. 2019.
Differs: one sentence knows of another within the document alone, so that documents do not depend on one another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from linnet.recognise.token_features import DocumentFeatures

__all__ = ["Network", "group_means"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float32]]

_DIRECTIONS = ("forward", "backward")
_PARTS = ("input", "hidden", "bias")


@dataclass(frozen=True, slots=True)
class Network:
    """Its arrays by name; H is the width of one direction.

    projection.weight (P, E + D + F), projection.bias (P,)
    forward|backward . input (4H, P), hidden (4H, H), bias (4H,)   gates in the order input, forget, cell, output
    joining.weight (J, 8H), joining.bias (J,); output.weight (L, J), output.bias (L,)
    """

    arrays: Mapping[str, Floats]

    def emissions(self, vectors: Floats, features: DocumentFeatures) -> Floats:
        """(T, L) of the tokens of one document.

        vectors  (W, E + D) of its different words
        """
        arrays = self.arrays
        inputs = np.concatenate([vectors[features.word], features.signals], axis=1)
        x = np.maximum(inputs @ arrays["projection.weight"].T + arrays["projection.bias"], 0)
        sentences = list(pairwise(features.tokens.sentences))
        sides = []
        for direction in _DIRECTIONS:
            input_, hidden, bias = (arrays[f"{direction}.{part}"] for part in _PARTS)
            sides.append(_lstm(x @ input_.T + bias, sentences, hidden, backward=direction == "backward"))
        h = np.concatenate(sides, axis=1)
        means = group_means(h, features.members)[features.group]
        joined = np.concatenate([*_neighbours(h, features.tokens.sentences), means], axis=1)
        y = np.maximum(joined @ arrays["joining.weight"].T + arrays["joining.bias"], 0)
        return np.asarray(y @ arrays["output.weight"].T + arrays["output.bias"], np.float32)


def _neighbours(rows: Floats, sentences: Sequence[int]) -> tuple[Floats, Floats, Floats]:
    """Of each token, the row of the one before, its own, and the row of the one after; zeros beyond the sentence."""
    before, after = np.zeros_like(rows), np.zeros_like(rows)
    before[1:], after[:-1] = rows[:-1], rows[1:]
    before[list(sentences[:-1])] = 0
    after[[last - 1 for last in sentences[1:]]] = 0
    return before, rows, after


def group_means(rows: Floats, members: Ints) -> Floats:
    """(G, ·) the mean of the rows of each group. members (M, 2) row and group, rising by group."""
    starts = np.flatnonzero(np.diff(members[:, 1], prepend=-1))
    counts = np.diff(np.append(starts, len(members)))
    sums = np.add.reduceat(rows[members[:, 0]], starts, axis=0)
    return np.asarray(sums / counts[:, None], np.float32)


def _lstm(gates: Floats, sentences: list[tuple[int, int]], hidden: Floats, *, backward: bool) -> Floats:
    """(T, H) outputs of the tokens. All sentences advance together, the longest first, so that those that go on are a prefix.

    gates  (T, 4H) what the inputs contribute
    """
    width = hidden.shape[1]
    out = np.zeros((len(gates), width), np.float32)
    ordered = sorted((pair for pair in sentences if pair[1] > pair[0]), key=lambda pair: pair[0] - pair[1])
    firsts = np.array([last - 1 if backward else first for first, last in ordered], np.int64)
    lengths = np.array([last - first for first, last in ordered], np.int64)
    state, cell = np.zeros((len(ordered), width), np.float32), np.zeros((len(ordered), width), np.float32)
    for step in range(int(lengths.max(initial=0))):
        active = int((lengths > step).sum())
        rows = firsts[:active] - step if backward else firsts[:active] + step
        at = gates[rows] + state[:active] @ hidden.T
        let_in, forget, out_gate = (_sigmoid(at[:, i * width : (i + 1) * width]) for i in (0, 1, 3))
        cell = forget * cell[:active] + let_in * np.tanh(at[:, 2 * width : 3 * width])
        state = out_gate * np.tanh(cell)
        out[rows] = state
    return out


def _sigmoid(x: Any) -> Floats:
    return np.asarray(0.5 * (np.tanh(0.5 * x) + 1), np.float32)
