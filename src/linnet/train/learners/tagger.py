"""The tagger under training: `linnet.recognise.network.Network` and its CRF as a torch module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from linnet.arrays import Floats, Ints
from linnet.encode.features import NgramFeatures, ranges
from linnet.recognise.bioes import Labels
from linnet.recognise.crf import CRF, FORBIDDEN
from linnet.recognise.network import Network
from linnet.recognise.token_features import DocumentFeatures
from linnet.recognise.word_vectors import FixedVectors, WordVectors
from linnet.settings_files import check_at_least, check_share

__all__ = ["DocumentBatch", "TaggerLearner", "TaggerSettings", "WordInputs"]

_SIZES = (2, 3, 4, 5)  # characters of the n-grams with trained vectors
_SPREAD = 0.05  # initial, of those vectors: small, so that unseen n-grams add little
_RENAMED = {"input": "weight_ih", "hidden": "weight_hh"}


@dataclass(frozen=True, kw_only=True)
class TaggerSettings:
    """The section `[tagger]`.

    width          of the LSTM in each direction        projected  inputs to it        joined  units after it
    buckets, dimensions  of the table of trained word vectors
    dropout        of the inputs of each layer
    unknown        share of the words whose trained vector is hidden in a step, half of them with the fixed vector too, so
                   that the model also learns to read unknown words
    learning_rate, weight_decay  of AdamW
    """

    width: int = 112
    projected: int = 128
    joined: int = 128
    buckets: int = 2**15
    dimensions: int = 48
    dropout: float = 0.4
    unknown: float = 0.4
    learning_rate: float = 3e-3
    weight_decay: float = 1e-4

    def __post_init__(self) -> None:
        check_at_least(self, 1, "width", "projected", "joined", "buckets", "dimensions")
        check_share(self, "dropout", "unknown")


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
    """Some documents: N tokens in S sentences, the longest sentence first.

    words    values, offsets and fixed vectors of the distinct words, see `WordInputs.take`
    word     (N,) number of each token's word             signals  (N, F)
    members  (M, 2) token and group                       group    (N,)
    padded   (T, S) token at each place of each sentence, 0 beyond its end        lengths (S,)
    step, sentence  (N,) where each token is in `padded`
    """

    words: tuple[Tensor, Tensor, Tensor]
    word: Tensor
    signals: Tensor
    members: Tensor
    group: Tensor
    padded: Tensor
    lengths: Tensor
    step: Tensor
    sentence: Tensor

    @classmethod
    def of(cls, documents: Sequence[DocumentFeatures], inputs: WordInputs) -> DocumentBatch:
        """Documents whose words are all in `inputs`, with at least one token in total."""
        word, members, group, sentences = [], [], [], []
        tokens = groups = 0
        for document in documents:
            numbers = np.array([inputs.numbers[text] for text in document.words], np.int64)
            word.append(numbers[document.word])
            members.append(document.members + np.array([tokens, groups]))
            group.append(document.group + groups)
            sentences += [(tokens + a, tokens + b) for a, b in pairwise(document.tokens.sentences) if b > a]
            tokens += len(document.tokens)
            groups += int(document.group.max(initial=-1)) + 1
        distinct, places = np.unique(np.concatenate(word), return_inverse=True)
        sentences.sort(key=lambda pair: pair[0] - pair[1])
        lengths = np.array([b - a for a, b in sentences], np.int64)
        padded = np.zeros((int(lengths[0]), len(sentences)), np.int64)
        step, sentence = np.zeros(tokens, np.int64), np.zeros(tokens, np.int64)
        for number, (a, b) in enumerate(sentences):
            padded[: b - a, number] = np.arange(a, b)
            step[a:b], sentence[a:b] = np.arange(b - a), number
        signals = np.concatenate([document.signals for document in documents])
        groupings = np.concatenate(members), np.concatenate(group)
        arrays = (places, signals, *groupings, padded, lengths, step, sentence)
        return cls(inputs.take(distinct), *map(torch.from_numpy, arrays))

    def to(self, device: torch.device) -> DocumentBatch:
        """On a device, except the lengths, which packing needs on the CPU."""
        moved = ("word", "signals", "members", "group", "padded", "step", "sentence")
        values, offsets, vectors = self.words
        words = values.to(device), offsets.to(device), vectors.to(device)
        return replace(self, words=words, **{name: getattr(self, name).to(device) for name in moved})


class TaggerLearner(nn.Module):
    """Scores of labels, and the CRF loss over them."""

    legal_first: Tensor
    legal_next: Tensor
    legal_last: Tensor

    def __init__(self, settings: TaggerSettings, labels: Labels, *, fixed: int, signals: int) -> None:
        """fixed: length of the fixed vectors; signals: number for each token"""
        super().__init__()
        self.settings, self.labels = settings, labels
        self.ngrams = NgramFeatures(settings.buckets, _SIZES)
        self.table = nn.EmbeddingBag(
            settings.buckets, settings.dimensions, mode="sum", include_last_offset=True
        )
        nn.init.normal_(self.table.weight, std=_SPREAD)
        inputs = settings.dimensions + fixed + signals
        self.projection = nn.Linear(inputs, settings.projected)
        self.lstm = nn.LSTM(settings.projected, settings.width, bidirectional=True)
        self.joining = nn.Linear(8 * settings.width, settings.joined)
        self.output = nn.Linear(settings.joined, len(labels))
        self.dropout = nn.Dropout(settings.dropout)
        for name, mask in zip(("first", "next", "last"), labels.legal(), strict=True):
            self.register_buffer(f"legal_{name}", torch.from_numpy(mask))
        self.start = nn.Parameter(torch.zeros(len(labels)))
        self.transitions = nn.Parameter(torch.zeros(len(labels), len(labels)))
        self.end = nn.Parameter(torch.zeros(len(labels)))

    def forward(self, batch: DocumentBatch) -> Tensor:
        """(N, L) emissions."""
        values, offsets, fixed = batch.words
        trained = self.table(values, offsets)
        if self.training:
            drawn = torch.rand(len(trained), 1, device=trained.device)
            trained = trained.masked_fill(drawn < self.settings.unknown, 0.0)
            fixed = fixed.masked_fill(drawn < self.settings.unknown / 2, 0.0)
        vectors = torch.cat([trained, fixed], dim=1)
        x = self.projection(torch.cat([vectors[batch.word], batch.signals], dim=1)).relu()
        packed = pack_padded_sequence(self.dropout(x)[batch.padded], batch.lengths)
        out, _ = pad_packed_sequence(self.lstm(packed)[0])
        # `out` is zero after the end of a sentence; a step of zeros is added before each.
        out = torch.cat([out.new_zeros(1, *out.shape[1:]), out, out.new_zeros(1, *out.shape[1:])])
        before, h, after = (out[batch.step + place, batch.sentence] for place in range(3))
        means = _group_means(h, batch)[batch.group]
        y = self.joining(self.dropout(torch.cat([before, h, after, means], dim=1))).relu()
        emissions: Tensor = self.output(self.dropout(y))
        return emissions

    def _legal_scores(self) -> tuple[Tensor, Tensor, Tensor]:
        """(L,) scores of first labels, (L, L) of transitions, (L,) of last labels, illegal ones `FORBIDDEN`."""
        return (
            self.start.masked_fill(~self.legal_first, FORBIDDEN),
            self.transitions.masked_fill(~self.legal_next, FORBIDDEN),
            self.end.masked_fill(~self.legal_last, FORBIDDEN),
        )

    def loss(self, emissions: Tensor, allowed: Tensor, batch: DocumentBatch) -> Tensor:
        """() mean over the tokens of −log of the probability that all labels are allowed.

        allowed  (N, L) several labels where the annotation leaves them open

        Source: partial annotation after Tsuboi et al. 2008.
        """
        start, transitions, end = self._legal_scores()
        both = torch.stack([emissions, emissions.masked_fill(~allowed, FORBIDDEN)], dim=1)
        steps = both[batch.padded]  # (T, S, 2, L)
        score = start + steps[0]
        active = (batch.lengths[None] > torch.arange(len(steps))[:, None]).sum(dim=1).tolist()
        for step in range(1, len(steps)):
            going = active[step]
            through = torch.logsumexp(score[:going, :, :, None] + transitions, dim=2) + steps[step, :going]
            score = torch.cat([through, score[going:]]) if going < len(score) else through
        totals = torch.logsumexp(score + end, dim=2)
        return (totals[:, 0] - totals[:, 1]).sum() / len(emissions)

    def optimiser(self) -> torch.optim.Optimizer:
        """AdamW."""
        settings = self.settings
        return torch.optim.AdamW(
            self.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )

    def crf(self) -> CRF:
        """The CRF with the current scores."""
        start, transitions, end = map(_array, self._legal_scores())
        return CRF(start=start, transitions=transitions, end=end)

    def network(self) -> Network:
        """With the current weights."""
        state: Mapping[str, Tensor] = self.state_dict()
        arrays = {
            name: state[name] for name in state if name.startswith(("projection.", "joining.", "output."))
        }
        for direction, suffix in (("forward", "_l0"), ("backward", "_l0_reverse")):
            for part, name in _RENAMED.items():
                arrays[f"{direction}.{part}"] = state[f"lstm.{name}{suffix}"]
            arrays[f"{direction}.bias"] = state[f"lstm.bias_ih{suffix}"] + state[f"lstm.bias_hh{suffix}"]
        return Network({name: _array(tensor) for name, tensor in arrays.items()})

    def vectors(self, fixed: FixedVectors) -> WordVectors:
        """With the current table."""
        return WordVectors(self.ngrams, _array(self.table.weight), fixed)


def _group_means(rows: Tensor, batch: DocumentBatch) -> Tensor:
    members, groups = batch.members[:, 0], batch.members[:, 1]
    count = int(batch.group.max()) + 1
    sums = torch.zeros(count, rows.shape[1], device=rows.device).index_add(0, groups, rows[members])
    sizes = torch.zeros(count, device=rows.device).index_add(
        0, groups, torch.ones_like(groups, dtype=rows.dtype)
    )
    return sums / sizes[:, None]


def _array(tensor: Tensor) -> Floats:
    return tensor.detach().float().cpu().numpy().copy()
