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
from itertools import accumulate, pairwise

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.recognise.packed_sentences import PackedSentences
from linnet.recognise.token_features import DocumentFeatures

__all__ = ["Network", "group_means"]

_DIRECTIONS = ("forward", "backward")
_PARTS = ("input", "hidden", "bias")
_ROWS = 16  # of a matrix product of the LSTM: most abstracts have fewer sentences


@dataclass(frozen=True, slots=True)
class Network:
    """The arrays by name; H is the width of one direction.

    projection.weight (P, E + D + F), projection.bias (P,)
    forward|backward . input (4H, P), hidden (4H, H), bias (4H,)   gate order: input, forget, cell, output
    joining.weight (J, 8H), joining.bias (J,); output.weight (L, J), output.bias (L,)
    """

    arrays: Mapping[str, Floats]

    def emissions(self, vectors: Sequence[Floats], features: Sequence[DocumentFeatures]) -> list[Floats]:
        """(T, L) scores of the tokens of each document, which do not depend on the others, bit for bit.

        vectors  (W, E + D) of the distinct words of each document
        """
        if not features:
            return []
        distinct = [_distinct(document) for document in features]
        inputs = [
            self._projected(own, document, firsts)
            for own, document, (firsts, _) in zip(vectors, features, distinct, strict=True)
        ]
        rows = [own for _, own in distinct]
        hidden = self._both_directions(inputs, rows, [document.tokens.sentences for document in features])
        return [self._scores(h, document) for h, document in zip(hidden, features, strict=True)]

    # One document per matrix product, except in `_lstm`: BLAS rounds differently for other numbers of rows.

    def _projected(self, vectors: Floats, features: DocumentFeatures, tokens: Ints) -> Floats:
        """(U, P) the inputs of these U tokens; a word's vector is multiplied once."""
        weight, dimensions = self.arrays["projection.weight"], vectors.shape[1]
        words = vectors @ weight[:, :dimensions].T
        words += self.arrays["projection.bias"]
        projected: Floats = features.signals[tokens] @ weight[:, dimensions:].T
        projected += words[features.word[tokens]]
        return np.maximum(projected, 0, out=projected)

    def _scores(self, h: Floats, features: DocumentFeatures) -> Floats:
        arrays = self.arrays
        width = h.shape[1]
        before, own, after, mean = (
            arrays["joining.weight"][:, i * width : (i + 1) * width].T for i in range(4)
        )
        y = h @ own
        # Nothing comes before the first token of a sentence, or after its last.
        edges = list(features.tokens.sentences[1:-1])
        shifted = h[:-1] @ before
        shifted[[edge - 1 for edge in edges]] = 0
        y[1:] += shifted
        shifted = h[1:] @ after
        shifted[[edge - 1 for edge in edges]] = 0
        y[:-1] += shifted
        means = group_means(h, features.members) @ mean
        means += arrays["joining.bias"]
        y += means[features.group]
        np.maximum(y, 0, out=y)
        return np.asarray(y @ arrays["output.weight"].T + arrays["output.bias"], np.float32)

    def _both_directions(
        self, inputs: Sequence[Floats], rows: Sequence[Ints], sentences: Sequence[Sequence[int]]
    ) -> list[Floats]:
        """(T, 2H) the LSTM's outputs for each token of each document, forward and backward.

        inputs  (U, P) of each document        rows  (T,) which of them is each token's
        """
        weights, hidden, biases = (
            [self.arrays[f"{direction}.{part}"] for direction in _DIRECTIONS] for part in _PARTS
        )
        width = hidden[0].shape[1]
        begins = [0, *accumulate(map(len, rows))]
        starts = [0, *accumulate(map(len, inputs))]
        input_of = np.concatenate([own + start for own, start in zip(rows, starts, strict=False)])
        bounds = [0]
        for begin, ends in zip(begins, sentences, strict=False):
            bounds += [begin + end for end in ends[1:]]
        packed = PackedSentences.of(bounds)
        # In the order of steps, so that the inputs of a step are contiguous.
        tokens = [
            np.concatenate([at(step) for step in range(len(packed.batch_sizes))] or [np.zeros(0, np.int64)])
            for at in (packed.forward, packed.backward)
        ]
        halves = _halves(width)
        own = np.empty((starts[-1], 4 * width), np.float32)
        gates = np.empty((2, begins[-1], 4 * width), np.float32)
        for side in range(2):
            weight = (weights[side] * halves[:, None]).T
            for x, (start, end) in zip(inputs, pairwise(starts), strict=True):
                np.matmul(x, weight, out=own[start:end])
            own += biases[side] * halves
            # Other modes copy twice.
            np.take(own, input_of[tokens[side]], axis=0, out=gates[side], mode="clip")
        outputs = _lstm(gates, packed.batch_sizes, np.stack(hidden) * halves[:, None])
        h = np.empty((begins[-1], 2 * width), np.float32)
        for side, order in enumerate(tokens):
            h[order, side * width : (side + 1) * width] = outputs[side]
        return [h[begin:end] for begin, end in pairwise(begins)]


def _distinct(features: DocumentFeatures) -> tuple[Ints, Ints]:
    """(U,) the first token with each word and signals, and (T,) which of these each token equals. Four of five tokens of a full
    text repeat another.
    """
    bits = np.packbits(features.signals > 0, axis=1)
    _, signals = np.unique(bits.view(f"V{bits.shape[1]}"), return_inverse=True)
    pairs = features.word * (int(signals.max(initial=0)) + 1) + signals.ravel()
    _, firsts, rows = np.unique(pairs, return_index=True, return_inverse=True)
    return firsts, rows


def _halves(width: int) -> Floats:
    """(4H,) factors of the gates: sigmoid(x) = tanh(x / 2) / 2 + 1/2, so one tanh serves all; halving is exact."""
    halves = np.full(4 * width, 0.5, np.float32)
    halves[2 * width : 3 * width] = 1
    return halves


def group_means(rows: Floats, members: Ints) -> Floats:
    """(G, ·) mean of the rows of each group. members (M, 2): row and group, by rising group."""
    starts = np.flatnonzero(np.diff(members[:, 1], prepend=-1))
    counts = np.diff(np.append(starts, len(members)))
    sums = np.add.reduceat(rows[members[:, 0]], starts, axis=0)
    return np.asarray(sums / counts[:, None], np.float32)


def _lstm(gates: Floats, batch_sizes: Sequence[int], hidden: Floats) -> Floats:
    """(2, T, H) outputs, in the order of `gates`. Both directions and all sentences advance together.

    Products are of `_ROWS` rows, whatever the number of sentences, so that BLAS always rounds alike.

    gates        (2, T, 4H) contributions of the inputs, in the order of steps, times `_halves`
    batch_sizes  number of sentences at each step        hidden  (2, 4H, H), times `_halves`
    """
    width = hidden.shape[2]
    recurrent = np.ascontiguousarray(hidden.transpose(0, 2, 1))[:, None]
    out = np.empty((*gates.shape[:2], width), np.float32)
    blocks = -(-(batch_sizes[0] if batch_sizes else 0) // _ROWS)
    state = np.zeros((2, blocks, _ROWS, width), np.float32)
    flat = state.reshape(2, -1, width)
    cell = np.zeros_like(flat)
    products = np.empty((2, blocks, _ROWS, 4 * width), np.float32)
    start = 0
    for count in batch_sizes:
        full = -(-count // _ROWS)
        np.matmul(state[:, :full], recurrent, out=products[:, :full])
        at = products.reshape(2, -1, 4 * width)[:, :count]
        at += gates[:, start : start + count]
        np.tanh(at, out=at)
        input_gate, forget_gate, new, output_gate = (at[..., i * width : (i + 1) * width] for i in range(4))
        # σ(x) = (tanh(x / 2) + 1) / 2 for three of them
        now = cell[:, :count]
        forget_gate += 1
        now *= forget_gate
        input_gate += 1
        input_gate *= new
        now += input_gate
        now *= 0.5
        output_gate += 1
        output_gate *= 0.5
        result = np.multiply(output_gate, np.tanh(now), out=flat[:, :count])
        out[:, start : start + count] = result
        start += count
    return out
