"""Documents as the tensors that the tagger under training reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Ints
from linnet.encode.features import NgramFeatures, ranges
from linnet.recognise.packed_sentences import PackedSentences
from linnet.recognise.token_features import DocumentFeatures
from linnet.recognise.word_vectors import FixedVectors

__all__ = ["DocumentBatch", "WordInputs"]


class WordInputs:
    """The features and fixed vectors of distinct words, computed once."""

    def __init__(self, words: Sequence[str], ngrams: NgramFeatures, fixed: FixedVectors) -> None:
        self.numbers = {word: number for number, word in enumerate(words)}
        self._bags = ngrams.bags(words)
        self._fixed = fixed.of(words)

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, numbers: Ints) -> tuple[Tensor, Tensor, Tensor]:
        """Values and offsets of the bags of n words for `EmbeddingBag`, and (n, D) their fixed vectors."""
        starts, counts = self._bags.offsets[numbers], np.diff(self._bags.offsets)[numbers]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        places = ranges(starts, counts)
        return (
            torch.from_numpy(self._bags.values[places]),
            torch.from_numpy(offsets),
            torch.from_numpy(self._fixed[numbers]),
        )


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """Some documents: N tokens in sentences.

    words    values, offsets and fixed vectors of the distinct words, see `WordInputs.take`
    word     (N,) number of each token's word             signals  (N, F)
    members  (M, 2) token and group                       group    (N,)
    first, last  (N,) whether a token is the first, the last of its sentence
    order    (2, N) tokens by step from the start of their sentences, and from the end, longest sentence first
    place    (2, N) place of each token in `order`
    active   number of sentences with a token at each step
    """

    words: tuple[Tensor, Tensor, Tensor]
    word: Tensor
    signals: Tensor
    members: Tensor
    group: Tensor
    first: Tensor
    last: Tensor
    order: Tensor
    place: Tensor
    active: tuple[int, ...]

    @classmethod
    def of(cls, documents: Sequence[DocumentFeatures], inputs: WordInputs) -> DocumentBatch:
        """Documents whose words are all in `inputs`, with at least one token in total."""
        word, members, group, bounds = [], [], [], [0]
        tokens = groups = 0
        for document in documents:
            numbers = np.array([inputs.numbers[text] for text in document.words], np.int64)
            word.append(numbers[document.word])
            members.append(document.members + np.array([tokens, groups]))
            group.append(document.group + groups)
            bounds += [tokens + end for end in document.tokens.sentences[1:]]
            tokens += len(document.tokens)
            groups += int(document.group.max(initial=-1)) + 1
        distinct, places = np.unique(np.concatenate(word), return_inverse=True)
        packed = PackedSentences.of(bounds)
        order = np.stack([
            np.concatenate([at(step) for step in range(len(packed.batch_sizes))])
            for at in (packed.forward, packed.backward)
        ])  # fmt: skip
        edges = np.zeros((2, tokens), bool)
        edges[0, packed.firsts] = edges[1, packed.lasts] = True
        signals = np.concatenate([document.signals for document in documents])
        groupings = np.concatenate(members), np.concatenate(group)
        arrays = (places, signals, *groupings, *edges, order, order.argsort(axis=1))
        word_of, signal, member, groups_of, first, last, places_of, place = map(torch.from_numpy, arrays)
        return cls(
            inputs.take(distinct),
            word_of,
            signal,
            member,
            groups_of,
            first,
            last,
            places_of,
            place,
            active=packed.batch_sizes,
        )

    def to(self, device: torch.device) -> DocumentBatch:
        """On a device."""
        moved = ("word", "signals", "members", "group", "first", "last", "order", "place")
        values, offsets, vectors = self.words
        words = values.to(device), offsets.to(device), vectors.to(device)
        return replace(self, words=words, **{name: getattr(self, name).to(device) for name in moved})
