"""A listwise reranker: among the candidates of a mention and "none of these", the right one is to be the most probable."""

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
from linnet.settings_files import NameOrPath
from linnet.terminology import Terminology
from linnet.train.calibration import Judged, calibrated, judge
from linnet.train.crossfit import Crossfit, Lists, Source, rarity_of
from linnet.train.task import RunSettings

__all__ = [
    "DataSettings",
    "ListScorer",
    "ListwiseSettings",
    "ListwiseTask",
    "ScorerSettings",
    "crossfit_of",
    "list_loss",
]

_ENCODER = NameOrPath("ngram")
_LEAST_SPREAD = 0.05  # of a feature; one that hardly varies is not blown up


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """The section `[data]`.

    sources      what is learnt from; several share one model
    folds        so many parts of each corpus, by document; the candidates of each are found without its mentions
    held_out     the fold that chooses the weights and makes the calibrator; its mentions train nothing but `MentionPriors`
    left_out     a fold that is not used at all, for cross-validation; None to use them all
    candidates   of a mention
    retrievers   indexes that find them; the terminologies need not have them
    encoder      directory or name of the encoder of "dense" and of the features' vectors; None for none
    place        where the terminologies of the folds are built, and found again by a later run on the same corpora
    lists        of a batch
    """

    sources: tuple[Source, ...]
    folds: int = 5
    held_out: int = 0
    left_out: int | None = None
    candidates: int = 8
    retrievers: tuple[str, ...] = ("exact", "dense")
    encoder: NameOrPath | None = _ENCODER
    place: Path | None = None
    lists: int = 64

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise ValueError(f"'folds' is {self.folds}; expected 2 or more.")
        for name, fold in (("held_out", self.held_out), ("left_out", self.left_out)):
            if fold is not None and not 0 <= fold < self.folds:
                raise ValueError(f"'{name}' is {fold}; expected 0 to {self.folds - 1}, the number of a fold.")
        if self.held_out == self.left_out:
            raise ValueError(f"'held_out' and 'left_out' are both {self.held_out}; expected different folds.")
        if self.folds == 2 and self.left_out is not None:
            raise ValueError(
                "'folds' is 2; expected 3 or more with 'left_out': no fold would be left to train on."
            )
        if not self.sources:
            raise ValueError("'sources' is empty; expected a table [[data.sources]] or more.")
        for name in ("candidates", "lists"):
            if getattr(self, name) < 1:
                raise ValueError(f"'{name}' is {getattr(self, name)}; expected 1 or more.")


@dataclass(frozen=True, kw_only=True)
class ScorerSettings:
    """The section `[scorer]`.

    hidden         units beside the linear part; 0 for a linear scorer
    dropout        of the hidden units
    learning_rate, weight_decay  of AdamW
    """

    hidden: int = 32
    dropout: float = 0.1
    learning_rate: float = 3e-3
    weight_decay: float = 1e-3

    def __post_init__(self) -> None:
        if self.hidden < 0:
            raise ValueError(f"'hidden' is {self.hidden}; expected 0 or more.")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"'dropout' is {self.dropout}; expected 0 or more, less than 1.")
        if self.learning_rate <= 0:
            raise ValueError(f"'learning_rate' is {self.learning_rate}; expected more than 0.")
        if self.weight_decay < 0:
            raise ValueError(f"'weight_decay' is {self.weight_decay}; expected 0 or more.")


@dataclass(frozen=True, kw_only=True)
class ListwiseSettings(RunSettings):
    """A run file with task = "listwise"."""

    data: DataSettings
    scorer: ScorerSettings = field(default_factory=ScorerSettings)


class ListScorer(nn.Module):
    """`linnet.rerank.listwise_scorer.ListwiseScorer`, to be learnt."""

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

    def forward(self, features: Tensor, there: Tensor) -> Tensor:
        """(N, k, F), (N, k) → (N, k + 1) logits, the last one of "none of these"; −inf where there is no candidate."""
        scaled = ((features - self.centre) / self.scale).clamp(-LIMIT, LIMIT)
        logits = self.linear(scaled)[..., 0]
        if self.hidden is not None and self.out is not None:
            logits = logits + self.out(self.dropout(self.hidden(scaled).relu()))[..., 0]
        best = scaled.masked_fill(~there[..., None], -LIMIT).amax(dim=1)
        logits = logits.masked_fill(~there, -torch.inf)
        return torch.cat([logits, self.none(best)], dim=1)

    def scorer(self) -> ListwiseScorer:
        """With the weights as they are now."""
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
    """() mean of −log of the probability of the right candidates together, of "none of these" where no one is right.

    logits  (N, k + 1) as from `ListScorer`         right  (N, k)
    """
    target = torch.cat([right, ~right.any(dim=1, keepdim=True)], dim=1)
    wanted = logits.masked_fill(~target, -torch.inf)
    return (torch.logsumexp(logits, dim=1) - torch.logsumexp(wanted, dim=1)).mean()


@dataclass(frozen=True, slots=True)
class Examples:
    """(N, k, F) features, (N, k) which candidates there are and which are right, and whether the dictionary was augmented."""

    features: Floats
    there: Mask
    right: Mask
    augmented: Mask


class ListwiseTask:
    """Lists of candidates, linked by plain and by augmented dictionaries in equal parts."""

    Settings: ClassVar[type[RunSettings]] = ListwiseSettings
    batch_key: ClassVar[str] = "data.lists"

    def __init__(self, settings: ListwiseSettings, crossfit: Crossfit, lists: Sequence[Lists]) -> None:
        """lists: those of `crossfit`, which may be shared by several tasks"""
        wanted = settings.data
        self.settings, self.data = settings, crossfit.data
        self._crossfit = crossfit
        self._rarity = rarity_of({t.digest: t for t in self._terminologies()}.values())
        self._encoder = None if wanted.encoder is None else load_encoder(wanted.encoder, threads=1)
        self._train, self._dev = self._examples(lists)
        if not len(self._train.right):
            raise DataError("no mention with one concept that its terminology has is left to train on.")
        seen = self._train.features[self._train.there]
        centre, scale = seen.mean(axis=0), seen.std(axis=0) + _LEAST_SPREAD
        self.module: nn.Module = ListScorer(
            torch.from_numpy(centre),
            torch.from_numpy(scale),
            hidden=settings.scorer.hidden,
            dropout=settings.scorer.dropout,
        )

    @classmethod
    def prepare(cls, settings: ListwiseSettings) -> Self:
        """See `Task.prepare`. Raises DataError where a corpus is too small for its folds."""
        crossfit = crossfit_of(settings)
        return cls(settings, crossfit, list(crossfit.lists()))

    def _terminologies(self) -> list[Terminology]:
        return [self._crossfit.terminology(source, None) for source in range(len(self._crossfit.sources))]

    def _examples(self, lists: Sequence[Lists]) -> tuple[Examples, Examples]:
        """Those of the training folds, and those of the fold held out."""
        wanted, strings = self.settings.data, StringTable(self._encoder)
        parts: dict[bool, list[tuple[Any, ...]]] = {False: [], True: []}
        memories = {
            fold: self._crossfit.memory(fold) for fold in range(wanted.folds) if fold != wanted.left_out
        }
        for one in lists:
            if one.fold == wanted.left_out:
                continue
            memory = memories[one.fold]
            linker = self._crossfit.linker(one.source, one.fold if one.augmented else None)
            features = Features(strings, memory, self._rarity).of(
                one.mentions, one.texts, one.hits, CandidateTable(linker.group, strings, memory)
            )
            keep = one.usable
            augmented = np.full(int(keep.sum()), one.augmented)
            parts[one.fold == wanted.held_out].append(
                (features[keep], one.hits.concepts[keep] >= 0, one.right[keep], augmented)
            )
        train, dev = (
            Examples(*map(np.concatenate, zip(*parts[held], strict=True))) for held in (False, True)
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
        features, there, right = (
            torch.from_numpy(array[rows]).to(device)
            for array in (examples.features, examples.there, examples.right)
        )
        return self.module(features, there), right

    def evaluate(self) -> dict[str, float]:
        """Of the fold held out: accuracy of the first candidate over both dictionaries, and over each; minus the loss."""
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

    def state(self) -> dict[str, Tensor]:
        """Nothing."""
        return {}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Nothing."""

    def reranker(self, fold: int | None, *, name: str = "listwise") -> ListwiseReranker:
        """With the weights as they are now, and what all mentions but those of a fold say."""
        module = self.module
        assert isinstance(module, ListScorer)
        return ListwiseReranker(
            module.scorer(), self._crossfit.memory(fold), self._rarity, encoder=self._encoder, name=name
        )

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the reranker, with the counts of all mentions, and its calibrator, made on the fold held out."""
        with tempfile.TemporaryDirectory(prefix="linnet-listwise-") as folder:
            fold = self.settings.data.held_out
            held_out = Path(folder) / "m"
            self.reranker(fold).save(held_out, encoder=self._own_encoder())
            calibrator = self.calibrator(held_out, fold)
        self.reranker(self.settings.data.left_out, name=directory.name).save(
            directory, card=card, training=training, encoder=self._own_encoder(), calibrator=calibrator
        )

    def calibrator(self, reranker: Path, fold: int) -> Calibrator:
        """Made of the links of a fold with a reranker that knows nothing of it."""
        return calibrated([link for source in self.judged(reranker, fold) for link in source])

    def judged(self, reranker: Path, fold: int) -> list[Judged]:
        """The links of a fold, of each source, plain and augmented."""
        pipeline = Pipeline(
            retrievers=self._crossfit.pipeline.retrievers,
            encoder=self._crossfit.pipeline.encoder,
            reranker=str(reranker),
            depth=self.settings.data.candidates,
        )
        return [
            judge(
                self._crossfit.linker(number, dictionary, pipeline),
                self._crossfit.in_fold(number, fold),
                types=source.types,
            )
            for number, source in enumerate(self._crossfit.sources)
            for dictionary in (None, fold)
        ]

    def _own_encoder(self) -> Path | None:
        """The directory of an encoder that was named by its path; one that was named by its name is found by it again."""
        name = self.settings.data.encoder
        return Path(name) if name is not None and Path(name).is_dir() else None


def crossfit_of(settings: ListwiseSettings) -> Crossfit:
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
