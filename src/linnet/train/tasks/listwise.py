"""A listwise reranker: learns the most probable of a mention's candidates and "none of these"."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn

from linnet.arrays import Floats, Mask
from linnet.encode import load_encoder
from linnet.errors import DataError
from linnet.link import Pipeline
from linnet.rerank.calibrator import Calibrator
from linnet.rerank.candidate_table import CandidateTable
from linnet.rerank.features import Features
from linnet.rerank.listwise import ListwiseReranker
from linnet.rerank.listwise_scorer import LIMIT, ListwiseScorer
from linnet.rerank.name_features import StringTable
from linnet.settings_files import NameOrPath, check_at_least, check_share
from linnet.terminology import Terminology
from linnet.train.calibration import JudgedLink, fit_calibrator, judge_links
from linnet.train.corpus import CorpusSettings
from linnet.train.crossfit import CandidateLists, Crossfit, word_rarity
from linnet.train.task import RunSettings, Task

__all__ = [
    "DataSettings",
    "ListScorer",
    "ListwiseSettings",
    "ListwiseTask",
    "ScorerSettings",
    "list_loss",
    "open_crossfit",
]

_ENCODER = NameOrPath("ngram")
_LEAST_SPREAD = 0.05  # of a feature, so that one that hardly varies is not blown up


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """The section `[data]`.

    sources      training data of the one model
    folds        number of folds of each corpus, by document; a fold's candidates are retrieved without its mentions
    held_out     fold that chooses the weights and fits the calibrator; its mentions train only `MentionPriors`
    left_out     fold left out entirely, for cross-validation; None for no fold
    candidates   of a mention
    retrievers   of the candidates; the terminologies need not have their indexes
    encoder      directory or name of the encoder of "dense" and of the features' vectors; None for none
    place        directory for the terminologies of the folds, which later runs on the same corpora reuse
    lists        of a batch
    """

    sources: tuple[CorpusSettings, ...]
    folds: int = 5
    held_out: int = 0
    left_out: int | None = None
    candidates: int = 8
    retrievers: tuple[str, ...] = ("exact", "dense")
    encoder: NameOrPath | None = _ENCODER
    place: Path | None = None
    lists: int = 64

    def __post_init__(self) -> None:
        check_at_least(self, 2, "folds")
        for name, fold in (("held_out", self.held_out), ("left_out", self.left_out)):
            if fold is not None and not 0 <= fold < self.folds:
                raise ValueError(f"'{name}' is {fold}; expected 0 to {self.folds - 1}, the number of a fold.")
        if self.held_out == self.left_out:
            raise ValueError(f"'held_out' and 'left_out' are both {self.held_out}; expected different folds.")
        if self.folds == 2 and self.left_out is not None:
            raise ValueError(
                "'folds' is 2; expected 3 or more with 'left_out': otherwise no fold is left for training."
            )
        if not self.sources:
            raise ValueError("'sources' is empty; expected at least one table [[data.sources]].")
        check_at_least(self, 1, "candidates", "lists")


@dataclass(frozen=True, kw_only=True)
class ScorerSettings:
    """The section `[scorer]`.

    hidden         units beside the linear layer; 0 for a linear scorer
    dropout        of the hidden units
    learning_rate, weight_decay  of AdamW
    """

    hidden: int = 32
    dropout: float = 0.1
    learning_rate: float = 3e-3
    weight_decay: float = 1e-3

    def __post_init__(self) -> None:
        check_at_least(self, 0, "hidden", "weight_decay")
        check_share(self, "dropout")
        if self.learning_rate <= 0:
            raise ValueError(f"'learning_rate' is {self.learning_rate}; expected more than 0.")


@dataclass(frozen=True, kw_only=True)
class ListwiseSettings(RunSettings):
    """A run file with task = "listwise"."""

    data: DataSettings
    scorer: ScorerSettings = field(default_factory=ScorerSettings)


class ListScorer(nn.Module):
    """`linnet.rerank.listwise_scorer.ListwiseScorer` as a torch module."""

    centre: Tensor
    scale: Tensor

    def __init__(self, centre: Tensor, scale: Tensor, *, hidden: int, dropout: float) -> None:
        super().__init__()
        self.register_buffer("centre", centre)
        self.register_buffer("scale", scale)
        self.linear = nn.Linear(len(centre), 1, bias=False)
        self.hidden = nn.Linear(len(centre), hidden) if hidden else None
        self.out = nn.Linear(hidden, 1, bias=False) if hidden else None
        self.dropout = nn.Dropout(dropout)
        self.none = nn.Linear(len(centre), 1)
        nn.init.zeros_(self.none.weight)

    def forward(self, features: Tensor, present: Tensor) -> Tensor:
        """(N, k, F), (N, k) → (N, k + 1) logits, the last of "none of these"; −inf where there is no candidate."""
        scaled = ((features - self.centre) / self.scale).clamp(-LIMIT, LIMIT)
        logits = self.linear(scaled)[..., 0]
        if self.hidden is not None and self.out is not None:
            logits = logits + self.out(self.dropout(self.hidden(scaled).relu()))[..., 0]
        best = scaled.masked_fill(~present[..., None], -LIMIT).amax(dim=1)
        logits = logits.masked_fill(~present, -torch.inf)
        return torch.cat([logits, self.none(best)], dim=1)

    def scorer(self) -> ListwiseScorer:
        """With the current weights."""
        size = len(self.centre)
        hidden = {
            "hidden": self.hidden.weight.T if self.hidden is not None else torch.zeros(size, 0),
            "bias": self.hidden.bias if self.hidden is not None else torch.zeros(0),
            "out": self.out.weight[0] if self.out is not None else torch.zeros(0),
        }
        arrays = {
            "centre": self.centre, "scale": self.scale, "linear": self.linear.weight[0], **hidden,
            "none": self.none.weight[0], "none_bias": self.none.bias,
        }  # fmt: skip
        return ListwiseScorer.of(
            {name: tensor.detach().cpu().numpy().copy() for name, tensor in arrays.items()}
        )


def list_loss(logits: Tensor, right: Tensor) -> Tensor:
    """() mean of −log of the total probability of the right candidates, or of "none of these" where none is right.

    logits  (N, k + 1) as from `ListScorer`         right  (N, k)
    """
    target = torch.cat([right, ~right.any(dim=1, keepdim=True)], dim=1)
    wanted = logits.masked_fill(~target, -torch.inf)
    return (torch.logsumexp(logits, dim=1) - torch.logsumexp(wanted, dim=1)).mean()


@dataclass(frozen=True, slots=True)
class Examples:
    """(N, k, F) features; (N, k) candidates present, and right; (N,) whether the terminology was augmented."""

    features: Floats
    present: Mask
    right: Mask
    augmented: Mask


class ListwiseTask(Task):
    """Lists of candidates, half from plain and half from augmented terminologies."""

    Settings: ClassVar[type[RunSettings]] = ListwiseSettings
    batch_key: ClassVar[str] = "data.lists"

    def __init__(
        self, settings: ListwiseSettings, crossfit: Crossfit, lists: Sequence[CandidateLists]
    ) -> None:
        """lists: of `crossfit`; several tasks may share both"""
        wanted = settings.data
        self.settings, self.data = settings, crossfit.data
        self._crossfit = crossfit
        self._rarity = word_rarity({t.digest: t for t in self._terminologies()}.values())
        self._encoder = None if wanted.encoder is None else load_encoder(wanted.encoder, threads=1)
        self._train, self._dev = self._examples(lists)
        if not len(self._train.right):
            raise DataError("no mention with one known concept is left to train on.")
        features = self._train.features[self._train.present]
        centre, scale = features.mean(axis=0), features.std(axis=0) + _LEAST_SPREAD
        self.module: ListScorer = ListScorer(
            torch.from_numpy(centre),
            torch.from_numpy(scale),
            hidden=settings.scorer.hidden,
            dropout=settings.scorer.dropout,
        )

    @classmethod
    def prepare(cls, settings: ListwiseSettings) -> Self:
        """See `Task.prepare`. Raises DataError where a corpus is too small for its folds."""
        crossfit = open_crossfit(settings)
        return cls(settings, crossfit, list(crossfit.lists()))

    def _terminologies(self) -> list[Terminology]:
        return [self._crossfit.terminology(source, None) for source in range(len(self._crossfit.sources))]

    def _examples(self, lists: Sequence[CandidateLists]) -> tuple[Examples, Examples]:
        """Of the training folds, and of the fold held out."""
        wanted, strings = self.settings.data, StringTable(self._encoder)
        arrays: dict[bool, list[tuple[Any, ...]]] = {False: [], True: []}
        priors_of = {
            fold: self._crossfit.mention_priors(fold)
            for fold in range(wanted.folds)
            if fold != wanted.left_out
        }
        for fold_lists in lists:
            fold, hits, keep = fold_lists.fold, fold_lists.hits, fold_lists.usable
            if fold == wanted.left_out:
                continue
            priors = priors_of[fold]
            linker = self._crossfit.linker(fold_lists.source, fold if fold_lists.augmented else None)
            rows = CandidateTable(linker.group, strings, priors)
            features = Features(strings, priors, self._rarity).of(
                fold_lists.mentions, fold_lists.texts, hits, rows
            )
            augmented = np.full(int(keep.sum()), fold_lists.augmented)
            arrays[fold == wanted.held_out].append(
                (features[keep], hits.concepts[keep] >= 0, fold_lists.right[keep], augmented)
            )
        train, dev = (
            Examples(*map(np.concatenate, zip(*arrays[held_out], strict=True))) for held_out in (False, True)
        )
        return train, dev

    def optimiser(self) -> torch.optim.Optimizer:
        """AdamW."""
        wanted = self.settings.scorer
        return torch.optim.AdamW(
            self.module.parameters(), lr=wanted.learning_rate, weight_decay=wanted.weight_decay
        )

    def loss(self, step: int) -> Tensor:
        """Of batch `step`: lists drawn with replacement."""
        rng = np.random.default_rng([self.settings.seed, step])
        rows = rng.integers(len(self._train.right), size=self.settings.data.lists)
        logits, right = self._logits(self._train, rows)
        return list_loss(logits, right)

    def _logits(self, examples: Examples, rows: Any) -> tuple[Tensor, Tensor]:
        device = next(self.module.parameters()).device
        features, present, right = (
            torch.from_numpy(array[rows]).to(device)
            for array in (examples.features, examples.present, examples.right)
        )
        return self.module(features, present), right

    def evaluate(self) -> dict[str, float]:
        """On the fold held out: accuracy of the first candidate with both terminologies, and with each; minus the loss."""
        if not len(self._dev.right):
            return {}
        logits, right = self._logits(self._dev, slice(None))
        first = logits[:, :-1].argmax(dim=1, keepdim=True)
        good = right.gather(1, first)[:, 0].cpu().numpy()
        augmented = self._dev.augmented
        return {
            "acc@1": float(good.mean()),
            "acc@1 plain": float(good[~augmented].mean()),
            "acc@1 augmented": float(good[augmented].mean()),
            "log-likelihood": -float(list_loss(logits, right)),
        }

    def reranker(self, fold: int | None, *, name: str = "listwise") -> ListwiseReranker:
        """With the current weights, and mention priors of all folds but one."""
        priors = self._crossfit.mention_priors(fold)
        return ListwiseReranker(self.module.scorer(), priors, self._rarity, encoder=self._encoder, name=name)

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the reranker with the priors of all mentions, and its calibrator, fitted on the fold held out."""
        with tempfile.TemporaryDirectory(prefix="linnet-listwise-") as folder:
            fold = self.settings.data.held_out
            without_fold = Path(folder) / "m"
            self.reranker(fold).save(without_fold, encoder=self._own_encoder())
            calibrator = self.calibrator(without_fold, fold)
        self.reranker(self.settings.data.left_out, name=directory.name).save(
            directory, card=card, training=training, encoder=self._own_encoder(), calibrator=calibrator
        )

    def calibrator(self, reranker: Path, fold: int) -> Calibrator:
        """Fitted to the links of a fold, from a reranker that has not seen it."""
        return fit_calibrator([link for source in self.judged(reranker, fold) for link in source])

    def judged(self, reranker: Path, fold: int) -> list[list[JudgedLink]]:
        """The links of a fold, of each source, plain and augmented."""
        pipeline = Pipeline(
            retrievers=self._crossfit.pipeline.retrievers,
            encoder=self._crossfit.pipeline.encoder,
            reranker=str(reranker),
            depth=self.settings.data.candidates,
        )
        return [
            judge_links(
                self._crossfit.linker(number, augmented, pipeline),
                self._crossfit.in_fold(number, fold),
                types=source.types,
            )
            for number, source in enumerate(self._crossfit.sources)
            for augmented in (None, fold)
        ]

    def _own_encoder(self) -> Path | None:
        """The encoder's directory if it was named by path; a name is resolved again."""
        name = self.settings.data.encoder
        return Path(name) if name is not None and Path(name).is_dir() else None


def open_crossfit(settings: ListwiseSettings) -> Crossfit:
    """The folds that a run file asks for."""
    wanted = settings.data
    return Crossfit(
        wanted.sources,
        folds=wanted.folds,
        depth=wanted.candidates,
        retrievers=wanted.retrievers,
        encoder=wanted.encoder,
        threads=settings.loop.threads,
        place=wanted.place,
    )
