"""A listwise reranker: learns the most probable of a mention's candidates and "none of these"."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn

from linnet.arrays import Floats, Ints, Mask
from linnet.encode import Encoder, load_encoder
from linnet.errors import DataError
from linnet.io.settings_files import NameOrPath, check_at_least, check_share
from linnet.link import Pipeline
from linnet.rerank.calibrator import CERTAIN, Calibrator
from linnet.rerank.candidate_table import CandidateTable
from linnet.rerank.features import Features
from linnet.rerank.listwise import ListwiseReranker
from linnet.rerank.listwise_scorer import LIMIT, ListwiseScorer
from linnet.rerank.name_features import StringTable
from linnet.train.calibration import JudgedLink, fit_calibrator, judge_fold
from linnet.train.crossfit import KINDS, CandidateLists, Crossfit, word_rarity
from linnet.train.sources import SourceSettings
from linnet.train.task import RunSettings, Task

__all__ = [
    "Examples",
    "ListScorer",
    "ListwiseData",
    "ListwiseSettings",
    "ListwiseTask",
    "ScorerSettings",
    "fold_examples",
    "list_loss",
    "open_crossfit",
]

_ENCODER = NameOrPath("ngram")
_LEAST_SPREAD = 0.05  # of a feature, so that one that hardly varies is not blown up


@dataclass(frozen=True, kw_only=True)
class ListwiseData:
    """The section `[data]`.

    sources      training data of the one model, see `SourceSettings`
    folds        number of folds of each corpus, by document; a fold's candidates are retrieved without its mentions
    held_out     fold that chooses the weights and fits the calibrator; its mentions train only `MentionPriors`
    left_out     fold that nothing is learnt from and that the model's memory lacks, for cross-validation; None for no fold
    candidates   of a mention
    retrievers   of the candidates; the terminologies need not have their indexes
    encoder      directory or name of the encoder of "dense" and of the features' vectors; None for none
    place        directory for the terminologies of the folds, which later runs on the same corpora reuse
    lists        of a batch
    """

    sources: tuple[SourceSettings, ...]
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

    data: ListwiseData
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
    """(N, k, F) features; (N, k) candidates present, and right; (N,) number of the source, and kind of list."""

    features: Floats
    present: Mask
    right: Mask
    source: Ints
    kind: Ints

    @classmethod
    def stack(cls, parts: Sequence[Examples]) -> Examples:
        """All examples of one or more parts."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__))

    def take(self, rows: Any) -> Examples:
        """The examples of these rows, or of a mask."""
        return Examples(*(getattr(self, name)[rows] for name in self.__slots__))


class ListwiseTask(Task):
    """Lists of candidates: with and without memory from plain terminologies, with memory from augmented ones.

    Sources are drawn by the square root of their sizes, so that a large one does not decide alone.
    """

    Settings: ClassVar[type[RunSettings]] = ListwiseSettings
    batch_key: ClassVar[str] = "data.lists"

    def __init__(
        self,
        settings: ListwiseSettings,
        crossfit: Crossfit,
        examples: Mapping[int, Sequence[Examples]],
        *,
        without: Collection[int] = (),
    ) -> None:
        """
        examples  of each fold, see `fold_examples`; several tasks may share them
        without   numbers of sources that nothing is learnt from
        """
        wanted = settings.data
        self.settings, self.data = settings, crossfit.data
        self._crossfit = crossfit
        self._sources = [number for number in range(len(crossfit.sources)) if number not in without]
        self._encoder = _open_encoder(settings)
        train = [part for fold, parts in examples.items() if fold != wanted.held_out for part in parts]
        self._train, self._dev = (
            kept.take(np.isin(kept.source, self._sources))
            for kept in (Examples.stack(train), Examples.stack(examples[wanted.held_out]))
        )
        if not len(self._train.right):
            raise DataError("no mention with one known concept is left to train on.")
        self._rows = [np.flatnonzero(self._train.source == source) for source in self._sources]
        roots = np.sqrt([len(rows) for rows in self._rows])
        self._shares = roots / roots.sum()
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
        crossfit = open_crossfit(settings.data, threads=settings.loop.threads)
        return cls(settings, crossfit, fold_examples(settings, crossfit))

    def optimiser(self) -> torch.optim.Optimizer:
        """AdamW."""
        wanted = self.settings.scorer
        return torch.optim.AdamW(
            self.module.parameters(), lr=wanted.learning_rate, weight_decay=wanted.weight_decay
        )

    def loss(self, step: int) -> Tensor:
        """Of batch `step`."""
        return list_loss(*self.judged_lists(self.batch(step)))

    def batch(self, step: int) -> Ints:
        """(lists,) rows of the examples learnt from, drawn with replacement."""
        rng = np.random.default_rng([self.settings.seed, step])
        counts = rng.multinomial(self.settings.data.lists, self._shares)
        return np.concatenate(
            [rows[rng.integers(len(rows), size=n)] for rows, n in zip(self._rows, counts, strict=True) if n]
        )

    def judged_lists(self, rows: Ints) -> tuple[Tensor, Tensor]:
        """(N, k + 1) logits of examples learnt from, and (N, k) which candidates are right, see `list_loss`."""
        return self._logits(self._train, rows)

    def _logits(self, examples: Examples, rows: Any) -> tuple[Tensor, Tensor]:
        device = next(self.module.parameters()).device
        features, present, right = (
            torch.from_numpy(array[rows]).to(device)
            for array in (examples.features, examples.present, examples.right)
        )
        return self.module(features, present), right

    def evaluate(self) -> dict[str, float]:
        """On the fold held out: accuracy of the first candidate over all sources and kinds of list, each with equal weight;
        accuracy of each kind; minus the loss."""
        if not len(self._dev.right):
            return {}
        logits, right = self._logits(self._dev, slice(None))
        first = logits[:, :-1].argmax(dim=1, keepdim=True)
        good = right.gather(1, first)[:, 0].cpu().numpy()
        by_kind: dict[str, list[float]] = {}
        for number, kind in enumerate(KINDS):
            for source in self._sources:
                here = (self._dev.kind == number) & (self._dev.source == source)
                if here.any():
                    by_kind.setdefault(f"acc@1 {kind}", []).append(float(good[here].mean()))
        return {
            "acc@1": float(np.mean([value for values in by_kind.values() for value in values] or [0.0])),
            **{kind: float(np.mean(values)) for kind, values in by_kind.items()},
            "log-likelihood": -float(list_loss(logits, right)),
        }

    def reranker(self, fold: int | None, *, name: str = "listwise") -> ListwiseReranker:
        """With the current weights, and mention priors of all folds but one."""
        priors = self._crossfit.mention_priors(fold)
        rarity = word_rarity_of(self._crossfit)
        return ListwiseReranker(self.module.scorer(), priors, rarity, encoder=self._encoder, name=name)

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the reranker with the priors of all mentions, and its calibrator, fitted on the fold held out."""
        with tempfile.TemporaryDirectory(prefix="linnet-listwise-") as folder:
            fold = self.settings.data.held_out
            without_fold = Path(folder) / "m"
            self.reranker(fold).save(without_fold, encoder=self._own_encoder(), calibrator=CERTAIN)
            calibrator = self.calibrator(without_fold, fold)
        self.reranker(self.settings.data.left_out, name=directory.name).save(
            directory, card=card, training=training, encoder=self._own_encoder(), calibrator=calibrator
        )

    def calibrator(self, reranker: Path, fold: int) -> Calibrator:
        """Fitted to the links of a fold, from a reranker that has not seen it."""
        return fit_calibrator([link for source in self.judged(reranker, fold) for link in source])

    def judged(self, reranker: Path, fold: int) -> list[list[JudgedLink]]:
        """The links of a fold, of each source that was learnt from: plain, and augmented if it is remembered."""
        pipeline = Pipeline(
            retrievers=self._crossfit.pipeline.retrievers,
            encoder=self._crossfit.pipeline.encoder,
            reranker=str(reranker),
            depth=self.settings.data.candidates,
        )
        return judge_fold(self._crossfit, pipeline, fold, sources=self._sources)

    def _own_encoder(self) -> Path | None:
        """The encoder's directory if it was named by path; a name is resolved again."""
        name = self.settings.data.encoder
        return Path(name) if name is not None and Path(name).is_dir() else None


def fold_examples(
    settings: ListwiseSettings, crossfit: Crossfit, lists: Iterable[CandidateLists] | None = None
) -> dict[int, list[Examples]]:
    """The examples of each fold but the one left out, in the order of `Crossfit.remembering`, which also says what `lists` are."""
    wanted = settings.data
    strings, rarity = StringTable(_open_encoder(settings)), word_rarity_of(crossfit)
    examples: dict[int, list[Examples]] = {
        fold: [] for fold in range(wanted.folds) if fold != wanted.left_out
    }
    for of_fold, kind, known in crossfit.remembering(lists, left_out=wanted.left_out):
        keep, hits = of_fold.usable, of_fold.hits
        linker = crossfit.linker(of_fold.source, of_fold.fold if of_fold.augmented else None)
        table = CandidateTable(linker.group, strings, known)
        features = Features(strings, known, rarity).of(of_fold.mentions, of_fold.texts, hits, table)
        examples[of_fold.fold].append(
            Examples(
                features[keep],
                hits.concepts[keep] >= 0,
                of_fold.right[keep],
                np.full(int(keep.sum()), of_fold.source),
                np.full(int(keep.sum()), KINDS.index(kind)),
            )
        )
    return examples


def word_rarity_of(crossfit: Crossfit) -> Floats:
    """(BUCKETS,) the rarity of words over the terminologies of the sources that are remembered; over all if none is."""
    numbers = [number for number, source in enumerate(crossfit.sources) if source.remembered]
    opened = [crossfit.terminology(number, None) for number in numbers or range(len(crossfit.sources))]
    return word_rarity({terminology.digest: terminology for terminology in opened}.values())


def _open_encoder(settings: ListwiseSettings) -> Encoder | None:
    name = settings.data.encoder
    return None if name is None else load_encoder(name, threads=1)


def open_crossfit(wanted: ListwiseData, *, threads: int | None = None) -> Crossfit:
    """The folds that a run file asks for."""
    return Crossfit(
        wanted.sources,
        folds=wanted.folds,
        depth=wanted.candidates,
        retrievers=wanted.retrievers,
        encoder=wanted.encoder,
        threads=threads,
        place=wanted.place,
    )
