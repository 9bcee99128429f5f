"""The reader's weights: which of all readings of a string is right, by features of `linnet.link.reading_features`."""

from __future__ import annotations

import tempfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn

from linnet.encode import encoder_digest
from linnet.io.settings_files import NameOrPath, check_at_least
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.link.reader import Reader
from linnet.link.readings import NOTHING
from linnet.train.reading_examples import (
    Example,
    MeantElsewhere,
    Question,
    ReaderSource,
    StringSettings,
    examples,
    foreign_names,
    questions,
    scaled,
)
from linnet.train.sources import Source
from linnet.train.task import RunSettings, Task

__all__ = ["FitSettings", "ReaderData", "ReaderSettings", "ReaderTask", "ReadingScorer", "fold_of"]

_ENCODER = NameOrPath("ngram")
_DIGITS = 3  # of a stored weight
_EVALUATIONS = 25  # of the loss, at most, in a line search


@dataclass(frozen=True, kw_only=True)
class ReaderData:
    """The section `[data]`.

    sources     training data of the one model, see `ReaderSource`
    folds       number of folds of the strings, by text
    held_out    fold that scores the weights and is not learnt from; None to learn from all strings, without scores
    retrievers  of candidates
    encoder     directory or name of the encoder of "dense"
    place       directory for the terminologies without the names held out, which later runs reuse
    """

    sources: tuple[ReaderSource, ...]
    folds: int = 5
    held_out: int | None = None
    retrievers: tuple[str, ...] = ("exact", "dense")
    encoder: NameOrPath | None = _ENCODER
    place: Path | None = None

    def __post_init__(self) -> None:
        check_at_least(self, 2, "folds")
        if self.held_out is not None and not 0 <= self.held_out < self.folds:
            raise ValueError(
                f"'held_out' is {self.held_out}; expected 0 to {self.folds - 1}, the number of a fold."
            )
        if not self.sources:
            raise ValueError("'sources' is empty; expected at least one table [[data.sources]].")
        counts = Counter(source.label for source in self.sources)
        if twice := [label for label, count in counts.items() if count > 1]:
            raise ValueError(f"two sources are named {twice[0]!r}; give each a 'name' of its own.")
        asked = [source.label for source in self.sources if source.names]
        for source in self.sources:
            for name in source.foreign:
                if name not in asked or name == source.label:
                    raise ValueError(
                        f"'foreign' of the source {source.label!r} names {name!r}; expected other sources that have 'names': "
                        f"{', '.join(label for label in asked if label != source.label) or 'there is none'}."
                    )

    @property
    def totals(self) -> dict[str, float | None]:
        """Label of the strings of each source, and of those composed → what their weights add up to, or None."""
        totals = {s.label: s.total for s in self.sources if s.corpora or s.names}
        return totals | {f"{s.label}, composed": s.composed_total for s in self.sources if s.composed}


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """The section `[fit]`.

    rounds   how often readings are made: at first by the weights of `[weights]`, then by those learnt, as the parts of a string
             are read by weights, too. Each round has `loop.steps`, and the last is the run
    penalty  of a weight's squared distance to that of `[weights]`, halved, beside the summed loss of all strings
    without  features that get no weight
    """

    rounds: int = 2
    penalty: float = 0.02
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_at_least(self, 1, "rounds")
        check_at_least(self, 0, "penalty")


@dataclass(frozen=True, kw_only=True)
class ReaderSettings(RunSettings):
    """A run file with task = "reader". `weights` are those of features before anything is learnt, 0 for others."""

    data: ReaderData
    strings: StringSettings = field(default_factory=StringSettings)
    fit: FitSettings = field(default_factory=FitSettings)
    weights: Mapping[str, float] = field(default_factory=dict)


class ReadingScorer(nn.Module):
    """Log-linear scores of all readings of N strings: a weight for each feature. The strings are buffers, not weights."""

    columns: Tensor
    rows: Tensor
    values: Tensor
    right: Tensor
    nothing: Tensor
    string: Tensor
    names: Tensor
    counts: Tensor
    prior: Tensor

    def __init__(self, prior: Mapping[str, float], strings: Sequence[Example], *, penalty: float) -> None:
        """
        prior    weights before anything is learnt; features that it lacks have 0
        penalty  see `FitSettings`
        """
        super().__init__()
        seen = {name for example in strings for features in example.features for name in features}
        self.features = sorted(seen | set(prior))
        self.penalty = penalty
        column = {name: position for position, name in enumerate(self.features)}
        readings = [features for example in strings for features in example.features]
        sizes = [len(example.features) for example in strings]
        bases = np.cumsum([0, *(max(example.names) + 1 for example in strings)])[:-1].tolist()
        arrays = {
            "columns": np.array([column[name] for features in readings for name in features], np.int64),
            "rows": np.repeat(np.arange(len(readings)), [len(features) for features in readings]),
            "values": np.array([value for features in readings for value in features.values()], np.float64),
            "right": np.array([right for example in strings for right in example.right], bool),
            "names": np.array(
                [base + name for base, e in zip(bases, strings, strict=True) for name in e.names]
            ),
            "nothing": np.array(["nothing" in features for features in readings], bool),
            "string": np.repeat(np.arange(len(strings)), sizes),
            "counts": np.array([example.weight for example in strings], np.float64),
            "prior": np.array([prior.get(name, 0.0) for name in self.features], np.float64),
        }
        for name, array in arrays.items():
            self.register_buffer(name, torch.from_numpy(array), persistent=False)
        self.weights = nn.Parameter(self.prior.clone())

    def forward(self) -> Tensor:
        """(R,) scores of the readings of all strings."""
        each = self.values * self.weights[self.columns]
        return each.new_zeros(len(self.right)).index_add(0, self.rows, each)

    def log_likelihoods(self) -> Tensor:
        """(N,) log of the probability of each string's right readings together."""
        scores = self()
        return self._log_sums(scores.masked_fill(~self.right, -torch.inf)) - self._log_sums(scores)

    def loss(self) -> Tensor:
        """() minus the mean log likelihood by weight, and the penalty."""
        penalty = self.penalty / 2 * ((self.weights - self.prior) ** 2).sum()
        return (penalty - (self.counts * self.log_likelihoods()).sum()) / self.counts.sum()

    def read_right(self) -> Tensor:
        """(N,) whether the best reading of each string is right: of those that name what is most probable, see
        `linnet.link.readings.ranked`; the first of those with one score."""
        scores = self()
        odds = (scores - self._largest(scores)[self.string]).exp()
        odds = torch.where(self.nothing, odds / NOTHING, odds)
        of_names = odds.new_zeros(len(scores)).index_add(0, self.names, odds)[self.names]
        scores = scores.masked_fill(of_names < self._largest(of_names)[self.string], -torch.inf)
        best = self._largest(scores)[self.string]
        places = torch.arange(len(scores), device=scores.device).masked_fill(scores < best, len(scores))
        first = places.new_full((len(self.counts),), len(scores))
        return self.right[first.scatter_reduce(0, self.string, places, "amin")]

    def by_name(self) -> dict[str, float]:
        """The weights of features, rounded as they are stored."""
        return {
            name: round(weight, _DIGITS)
            for name, weight in zip(self.features, self.weights.detach().cpu().tolist(), strict=True)
        }

    def optimiser(self) -> torch.optim.Optimizer:
        """See `_Descent`."""
        return _Descent(self)

    def _largest(self, scores: Tensor) -> Tensor:
        least = scores.new_full((len(self.counts),), -torch.inf)
        return least.scatter_reduce(0, self.string, scores, "amax")

    def _log_sums(self, scores: Tensor) -> Tensor:
        largest = self._largest(scores.detach())
        sums = scores.new_zeros(len(largest)).index_add(0, self.string, (scores - largest[self.string]).exp())
        return sums.log() + largest


class _Descent(torch.optim.LBFGS):
    """One iteration of L-BFGS in a step, over all strings. Its line search asks for the loss as often as it needs to."""

    def __init__(self, module: ReadingScorer) -> None:
        super().__init__(
            module.parameters(),
            max_iter=1,
            max_eval=_EVALUATIONS,
            history_size=20,
            tolerance_grad=1e-9,
            tolerance_change=1e-14,
            line_search_fn="strong_wolfe",
        )
        self._module = module

    def step(self, closure: Any = None) -> Any:
        """One iteration."""

        def loss() -> Tensor:
            self.zero_grad()
            value = self._module.loss()
            value.backward()  # type: ignore[no-untyped-call]
            return value

        return super().step(loss)  # type: ignore[no-untyped-call]


class ReaderTask(Task):
    """Strings of all sources, all of them in each step."""

    Settings: ClassVar[type[RunSettings]] = ReaderSettings
    batch_key: ClassVar[str] = "data.sources"

    def __init__(self, settings: ReaderSettings, strings: Sequence[Example], data: Mapping[str, str]) -> None:
        """strings  those to learn from and those held out, of the last round"""
        wanted, self.settings, self.data = settings.data, settings, data
        self.strings = strings
        held = [fold_of(example, wanted.folds) == wanted.held_out for example in strings]
        self._train = [example for example, is_held in zip(strings, held, strict=True) if not is_held]
        self._dev = [example for example, is_held in zip(strings, held, strict=True) if is_held]
        self.module: ReadingScorer = ReadingScorer(
            settings.weights, self._train, penalty=settings.fit.penalty
        )

    @classmethod
    def prepare(cls, settings: ReaderSettings) -> Self:
        """See `Task.prepare`. Raises DataError for a source of which nothing can be learnt."""
        with tempfile.TemporaryDirectory(prefix="linnet-reader-") as temporary:
            place = settings.data.place or Path(temporary)
            sources = [Source.read(given, place, seed=settings.seed) for given in settings.data.sources]
            linkers = [_linker(source, settings) for source in sources]
            asked = _questions(sources, linkers, settings)
            weights = settings.weights
            for number in range(settings.fit.rounds):
                strings = _examples(asked, sources, linkers, settings, weights)
                task = cls(settings, strings, _digests(sources, settings))
                if number + 1 < settings.fit.rounds:
                    fit(task.module, steps=settings.loop.steps)
                    weights = task.module.by_name()
        return task

    def loss(self, step: int) -> Tensor:
        """Of all strings, in each step."""
        return self.module.loss()

    def evaluate(self) -> dict[str, float]:
        """On the fold held out: log likelihood of the right readings; share of strings whose best reading is right, mean of all
        sources and of each."""
        if not self._dev:
            return {}
        return judged(self._dev, self.module.by_name())

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the reader; its card also says how many strings of each source it learnt from, and lists the weights."""
        weights = self.module.by_name()
        text = f"{card.rstrip()}\n\n{_described(self._train, weights)}"
        Reader(directory.name, weights).save(directory, card=text, training=training)


def fit(module: ReadingScorer, *, steps: int) -> None:
    """Learn as a run of so many steps does."""
    optimiser = module.optimiser()
    for _ in range(steps):
        optimiser.step()


def judged(strings: Sequence[Example], weights: Mapping[str, float]) -> dict[str, float]:
    """ "log-likelihood" per string by weight; "right", the mean of the shares of the sources, and "right: SOURCE" of each."""
    scorer = ReadingScorer(weights, strings, penalty=0.0)
    with torch.no_grad():
        right, likelihood = scorer.read_right().tolist(), -float(scorer.loss())
    shares = {
        f"right: {label}": float(
            np.mean([good for good, one in zip(right, strings, strict=True) if one.question.label == label])
        )
        for label in dict.fromkeys(example.question.label for example in strings)
    }
    return {"log-likelihood": likelihood, "right": float(np.mean(list(shares.values()))), **shares}


def fold_of(example: Example, folds: int) -> int:
    """The number of the fold of a string: the same for its copies with and without a text around it."""
    return zlib.crc32(example.question.query.text.encode()) % folds


def _linker(source: Source, settings: ReaderSettings) -> Linker:
    wanted, threads = settings.data, settings.loop.threads
    pipeline = Pipeline(retrievers=wanted.retrievers, encoder=wanted.encoder, reranker=None)
    if source.settings.names:  # written by `Source.read`, so not indexed by anyone else
        build_indexes(
            source.terminology, wanted.retrievers, encoder=wanted.encoder, update=True, threads=threads
        )
    return Linker.open([source.terminology], pipeline=pipeline, threads=threads)


def _questions(
    sources: Sequence[Source], linkers: Sequence[Linker], settings: ReaderSettings
) -> list[list[Question]]:
    given, seed = settings.data.sources, settings.seed
    wanted = {label for of in given for label in of.foreign}
    foreign = {
        of.label: foreign_names(source, count=settings.strings.foreign_names, seed=seed)
        for of, source in zip(given, sources, strict=True)
        if of.label in wanted
    }
    return [
        questions(
            source,
            of,
            linker,
            settings.strings,
            foreign=[name for label in of.foreign for name in foreign[label]],
            seed=seed,
        )
        for of, source, linker in zip(given, sources, linkers, strict=True)
    ]


def _examples(
    asked: Sequence[Sequence[Question]],
    sources: Sequence[Source],
    linkers: Sequence[Linker],
    settings: ReaderSettings,
    weights: Mapping[str, float],
) -> list[Example]:
    made = [
        example.without(settings.fit.without)
        for of, strings, source, linker in zip(settings.data.sources, asked, sources, linkers, strict=True)
        for example in examples(
            strings,
            linker,
            weights=weights,
            recalled=MeantElsewhere(source.documents if of.corpora else (), of.types),
            strings=settings.strings,
        )
    ]
    return scaled(made, settings.data.totals)


def _digests(sources: Sequence[Source], settings: ReaderSettings) -> dict[str, str]:
    read = {name: value for source in sources for name, value in source.data.items()}
    encoder = settings.data.encoder
    return read if encoder is None else {**read, "encoder": encoder_digest(encoder)}


def _described(strings: Sequence[Example], weights: Mapping[str, float]) -> str:
    """Sections of the model card."""
    counts = Counter(example.question.label for example in strings)
    scores = judged(strings, weights)
    sources = "".join(
        f"| {label} | {count:,} | {100 * scores[f'right: {label}']:.1f} |\n"
        for label, count in counts.items()
    )
    table = "".join(
        f"| {name} | {weight:.{_DIGITS}f} |\n" for name, weight in sorted(weights.items(), key=_weightiest)
    )
    return (
        "## Learnt from\n\nStrings with both right and wrong readings, each with and without a text around it, and the share in % "
        f"whose best reading is right.\n\n| source | strings | right |\n|---|---:|---:|\n{sources}\n"
        f"## Weights\n\n| feature | weight |\n|---|---:|\n{table}"
    )


def _weightiest(item: tuple[str, float]) -> tuple[float, str]:
    return -abs(item[1]), item[0]
