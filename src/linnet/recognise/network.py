"""The tagger's neural network in numpy: from the words of a document to a score for each label of each token.

    x = relu(W · [sum of the word's bucket vectors, the encoder's vector of the word, signals] + b)
    h = bidirectional LSTM over each sentence of x
    p = mean of h over the token's group, see `TokenFeatures`
    y = relu(C · [h of the previous token, h, h of the next token, p] + c)
    emissions = V · y + d

Sources: Huang, Xu and Yu 2015 (BiLSTM-CRF); Akbik et al. 2019 (the mean over equal words).
Differs: the mean is taken within a document, so the results of one document do not depend on the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.recognise.packed_sentences import PackedSentences
from linnet.recognise.token_features import DocumentFeatures

__all__ = ["Network", "group_means"]

_DIRECTIONS = ("forward", "backward")
_PARTS = ("input", "hidden", "bias")


@dataclass(frozen=True, slots=True)
class Network:
    """The arrays by name; H is the width of one direction.

    projection.weight (P, E + D + F), projection.bias (P,)
    forward|backward . input (4H, P), hidden (4H, H), bias (4H,)   gate order: input, forget, cell, output
    joining.weight (J, 8H), joining.bias (J,); output.weight (L, J), output.bias (L,)
    """

    arrays: Mapping[str, Floats]

    def emissions(self, vectors: Floats, features: DocumentFeatures) -> Floats:
        """(T, L) scores of the tokens of one document.

        vectors  (W, E + D) of its distinct words
        """
        arrays = self.arrays
        inputs = np.concatenate([vectors[features.word], features.signals], axis=1)
        x = np.maximum(inputs @ arrays["projection.weight"].T + arrays["projection.bias"], 0)
        h = self._both_directions(x, PackedSentences.of(features.tokens.sentences))
        means = group_means(h, features.members)[features.group]
        joined = np.concatenate([*_neighbours(h, features.tokens.sentences), means], axis=1)
        y = np.maximum(joined @ arrays["joining.weight"].T + arrays["joining.bias"], 0)
        return np.asarray(y @ arrays["output.weight"].T + arrays["output.bias"], np.float32)

    def _both_directions(self, x: Floats, packed: PackedSentences) -> Floats:
        """(T, 2H) the LSTM's outputs for each token, forward and backward; x (T, P)."""
        inputs, hidden, biases = (
            [self.arrays[f"{direction}.{part}"] for direction in _DIRECTIONS] for part in _PARTS
        )
        width = hidden[0].shape[1]
        # In the order of steps, so that the inputs of a step are contiguous.
        tokens = [
            np.concatenate([at(step) for step in range(len(packed.batch_sizes))] or [np.zeros(0, np.int64)])
            for at in (packed.forward, packed.backward)
        ]
        gates = np.stack([(x @ inputs[side].T + biases[side])[tokens[side]] for side in range(2)])
        outputs = _lstm(gates, packed.batch_sizes, np.stack(hidden))
        h = np.empty((len(x), 2 * width), np.float32)
        for side, rows in enumerate(tokens):
            h[rows, side * width : (side + 1) * width] = outputs[side]
        return h


def _neighbours(rows: Floats, sentences: Sequence[int]) -> tuple[Floats, Floats, Floats]:
    """For each token the previous row, its own, and the next row; zeros beyond the sentence."""
    before, after = np.zeros_like(rows), np.zeros_like(rows)
    before[1:], after[:-1] = rows[:-1], rows[1:]
    before[list(sentences[:-1])] = 0
    after[[last - 1 for last in sentences[1:]]] = 0
    return before, rows, after


def group_means(rows: Floats, members: Ints) -> Floats:
    """(G, ·) mean of the rows of each group. members (M, 2): row and group, by rising group."""
    starts = np.flatnonzero(np.diff(members[:, 1], prepend=-1))
    counts = np.diff(np.append(starts, len(members)))
    sums = np.add.reduceat(rows[members[:, 0]], starts, axis=0)
    return np.asarray(sums / counts[:, None], np.float32)


def _lstm(gates: Floats, batch_sizes: Sequence[int], hidden: Floats) -> Floats:
    """(2, T, H) outputs, in the order of `gates`. Both directions and all sentences advance together.

    gates        (2, T, 4H) contributions of the inputs, in the order of steps
    batch_sizes  number of sentences at each step        hidden  (2, 4H, H)
    """
    width = hidden.shape[2]
    # sigmoid(x) = tanh(x / 2) / 2 + 1/2, so one tanh serves all gates; halving is exact.
    half, offset = np.full(4 * width, 0.5, np.float32), np.full(4 * width, 0.5, np.float32)
    half[2 * width : 3 * width], offset[2 * width : 3 * width] = 1, 0
    gates = gates * half
    recurrent = np.ascontiguousarray((hidden * half[:, None]).transpose(0, 2, 1))
    out = np.empty((*gates.shape[:2], width), np.float32)
    state = np.zeros((2, batch_sizes[0] if batch_sizes else 0, width), np.float32)
    cell = np.zeros_like(state)
    start = 0
    for count in batch_sizes:
        at = state[:, :count] @ recurrent
        at += gates[:, start : start + count]
        np.tanh(at, out=at)
        at *= half
        at += offset
        input_gate, forget_gate, new, output_gate = (at[..., i * width : (i + 1) * width] for i in range(4))
        cell = forget_gate * cell[:, :count] + input_gate * new
        state = output_gate * np.tanh(cell)
        out[:, start : start + count] = state
        start += count
    return out
