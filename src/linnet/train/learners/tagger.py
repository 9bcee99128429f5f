"""The tagger under training: `linnet.recognise.network.Network` and its CRF as a torch module."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from linnet.arrays import Floats
from linnet.encode.features import NgramFeatures
from linnet.errors import MismatchError
from linnet.io.settings_files import check_at_least, check_share
from linnet.recognise.bioes import OUTSIDE, Labels
from linnet.recognise.crf import CRF, FORBIDDEN
from linnet.recognise.network import Network
from linnet.recognise.tagger import Tagger
from linnet.recognise.token_features import TokenFeatures
from linnet.recognise.word_vectors import FixedVectors, WordVectors
from linnet.train.learners.tagger_batch import DocumentBatch

__all__ = ["TaggerLearner", "TaggerSettings"]

_SIZES = (2, 3, 4, 5)  # characters of the n-grams with trained vectors
_SPREAD = 0.05  # initial, of those vectors: small, so that unseen n-grams add little
_PARTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
_DIRECTIONS = (("forward", "_l0"), ("backward", "_l0_reverse"))
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
        self._started: dict[str, Tensor] = {}
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
        h = self._both_directions(self.dropout(x), batch)
        nothing = h.new_zeros(1, h.shape[1])
        before = torch.cat([nothing, h[:-1]]).masked_fill(batch.first[:, None], 0.0)
        after = torch.cat([h[1:], nothing]).masked_fill(batch.last[:, None], 0.0)
        means = _group_means(h, batch)[batch.group]
        y = self.joining(self.dropout(torch.cat([before, h, after, means], dim=1))).relu()
        emissions: Tensor = self.output(self.dropout(y))
        return emissions

    def _both_directions(self, x: Tensor, batch: DocumentBatch) -> Tensor:
        """(N, 2H) the LSTM's outputs, as `linnet.recognise.network` computes them.

        PyTorch's own LSTM of packed sequences takes twice the time on a CPU: for each step its backward pass fills a
        tensor as large as all steps.
        """
        directions = [[getattr(self.lstm, f"{part}_l0{end}") for part in _PARTS] for end in ("", "_reverse")]
        gates = torch.stack([
            nn.functional.linear(x[order], inputs, bias + bias2)
            for order, (inputs, _, bias, bias2) in zip(batch.order, directions, strict=True)
        ])  # fmt: skip
        recurrent = torch.stack([hidden.T for _, hidden, _, _ in directions])
        state = cell = x.new_zeros(2, batch.active[0], self.settings.width)
        outputs = []
        for step in torch.split(gates, list(batch.active), dim=1):
            going = step.shape[1]
            if going < state.shape[1]:
                state, cell = state[:, :going], cell[:, :going]
            scores = torch.baddbmm(step, state, recurrent)
            input_gate, forget_gate, new, output_gate = scores.chunk(4, dim=2)
            cell = forget_gate.sigmoid() * cell + input_gate.sigmoid() * new.tanh()
            state = output_gate.sigmoid() * cell.tanh()
            outputs.append(state)
        out = torch.cat(outputs, dim=1)
        return torch.cat([out[side, batch.place[side]] for side in range(2)], dim=1)

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
        # One gather, split once: the gradient of a slice is a tensor of zeros as large as the whole.
        # Each of (sentences with a token at the step, 2, L).
        steps = torch.split(both[batch.order[0]], list(batch.active))
        score = start + steps[0]
        ended: list[Tensor] = []
        for emitted in steps[1:]:
            if len(emitted) < len(score):
                score, done = torch.split(score, [len(emitted), len(score) - len(emitted)])
                ended.append(done)
            score = torch.logsumexp(score[:, :, :, None] + transitions, dim=2) + emitted
        totals = torch.logsumexp(torch.cat([score, *reversed(ended)]) + end, dim=2)
        return (totals[:, 0] - totals[:, 1]).sum() / len(emissions)

    def start_with(self, tagger: Tagger, gazetteers: Sequence[str], *, own: Sequence[str]) -> None:
        """Begin with the weights of another tagger: of the labels of the same types, and of the same gazetteers.

        gazetteers  names of this model's        own  of the other's

        Raises MismatchError where other shapes differ.
        """
        inputs = tagger.vectors.dimensions
        expected = self.projection.in_features - TokenFeatures.size_with(len(gazetteers))
        if inputs != expected:
            raise MismatchError(
                f"The recogniser to start with has other shapes: its vectors of words have {inputs} components, those of "
                f"data.encoder and [tagger] {expected}."
            )
        labels = [OUTSIDE]
        others = [OUTSIDE]
        for kind, name in enumerate(self.labels.types):
            if name in tagger.labels.types:
                labels += range(len(self.labels))[self.labels.of_kind(kind)]
                others += range(len(tagger.labels))[tagger.labels.of_kind(tagger.labels.types.index(name))]
        columns = list(range(inputs + TokenFeatures.size_with(0)))
        theirs = list(columns)
        for number, name in enumerate(gazetteers):
            if name in own:
                columns += [inputs + column for column in TokenFeatures.of_gazetteer(number)]
                theirs += [inputs + column for column in TokenFeatures.of_gazetteer(own.index(name))]
        network, crf = tagger.network.arrays, tagger.crf
        state = self.state_dict()
        try:
            with torch.no_grad():
                state["table.weight"].copy_(torch.from_numpy(tagger.vectors.table))
                weight = state["projection.weight"]
                weight[:, inputs:] = 0  # gazetteers that the other lacks say nothing at first
                weight[:, columns] = torch.from_numpy(network["projection.weight"][:, theirs])
                for name in ("projection.bias", "joining.weight", "joining.bias"):
                    state[name].copy_(torch.from_numpy(network[name]))
                for name in ("output.weight", "output.bias"):
                    state[name][labels] = torch.from_numpy(network[name][others])
                for direction, suffix in _DIRECTIONS:
                    for part, name in _RENAMED.items():
                        state[f"lstm.{name}{suffix}"].copy_(torch.from_numpy(network[f"{direction}.{part}"]))
                    state[f"lstm.bias_ih{suffix}"].copy_(torch.from_numpy(network[f"{direction}.bias"]))
                    state[f"lstm.bias_hh{suffix}"].zero_()
                for name, scores in (("start", crf.start), ("end", crf.end)):
                    state[name][labels] = torch.from_numpy(scores[others])
                state["transitions"][np.ix_(labels, labels)] = torch.from_numpy(
                    crf.transitions[np.ix_(others, others)]
                )
        except RuntimeError as error:
            raise MismatchError(
                f"The recogniser to start with has other shapes than [tagger] gives: {error}"
            ) from None

        self._started = {name: tensor.clone() for name, tensor in state.items()}
        new = [label for label in range(len(self.labels)) if label not in labels]
        for name in ("output.weight", "output.bias", "start", "end", "transitions"):
            self._started[name][new] = torch.nan
        self._started["transitions"][:, new] = torch.nan

    def averaged(self, share: float) -> TaggerLearner:
        """A copy whose weights are the mean of these and those it began with, which count `share`; of labels that those
        lacked, these.

        Source: Wortsman et al. 2022 (WiSE-FT): the mean is better on what was learnt before and on texts of neither.
        """
        learner = copy.deepcopy(self)
        state = learner.state_dict()
        with torch.no_grad():
            for name, before in self._started.items():
                if state[name].is_floating_point():
                    mean = torch.lerp(state[name], before.to(state[name].device), share)
                    state[name].copy_(torch.where(mean.isnan(), state[name], mean))
        return learner

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
        for direction, suffix in _DIRECTIONS:
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
