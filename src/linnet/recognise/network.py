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

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.recognise.lockstep import Lockstep
from linnet.recognise.token_features import DocumentFeatures

__all__ = ["Network", "group_means"]

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
        h = self._both_directions(x, Lockstep.of(features.tokens.sentences))
        means = group_means(h, features.members)[features.group]
        joined = np.concatenate([*_neighbours(h, features.tokens.sentences), means], axis=1)
        y = np.maximum(joined @ arrays["joining.weight"].T + arrays["joining.bias"], 0)
        return np.asarray(y @ arrays["output.weight"].T + arrays["output.bias"], np.float32)

    def _both_directions(self, x: Floats, steps: Lockstep) -> Floats:
        """(T, 2H) the LSTM's outputs for each token, forward and backward; x (T, P)."""
        inputs, hidden, biases = (
            [self.arrays[f"{direction}.{part}"] for direction in _DIRECTIONS] for part in _PARTS
        )
        width = hidden[0].shape[1]
        # Step by step: what a step takes lies together.
        tokens = [
            np.concatenate([at(step) for step in range(len(steps.active))] or [np.zeros(0, np.int64)])
            for at in (steps.forward, steps.backward)
        ]
        gates = np.stack([(x @ inputs[side].T + biases[side])[tokens[side]] for side in range(2)])
        outputs = _lstm(gates, steps.active, np.stack(hidden))
        h = np.empty((len(x), 2 * width), np.float32)
        for side, rows in enumerate(tokens):
            h[rows, side * width : (side + 1) * width] = outputs[side]
        return h


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


def _lstm(gates: Floats, active: Sequence[int], hidden: Floats) -> Floats:
    """(2, T, H) outputs, in the order of the gates; both directions and all sentences advance together.

    gates   (2, T, 4H) what the inputs contribute, those of a step together
    active  how many sentences there are at each step        hidden  (2, 4H, H)
    """
    width = hidden.shape[2]
    # sigmoid(x) = tanh(x / 2) / 2 + 1/2, so that one tanh does for all gates; halving is exact.
    half, offset = np.full(4 * width, 0.5, np.float32), np.full(4 * width, 0.5, np.float32)
    half[2 * width : 3 * width], offset[2 * width : 3 * width] = 1, 0
    gates = gates * half
    across = np.ascontiguousarray((hidden * half[:, None]).transpose(0, 2, 1))
    out = np.empty((*gates.shape[:2], width), np.float32)
    state = np.zeros((2, active[0] if active else 0, width), np.float32)
    cell = np.zeros_like(state)
    start = 0
    for count in active:
        at = state[:, :count] @ across
        at += gates[:, start : start + count]
        np.tanh(at, out=at)
        at *= half
        at += offset
        let_in, forget, new, out_gate = (at[..., i * width : (i + 1) * width] for i in range(4))
        cell = forget * cell[:, :count] + let_in * new
        state = out_gate * np.tanh(cell)
        out[:, start : start + count] = state
        start += count
    return out
