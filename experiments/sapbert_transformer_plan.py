"""The section `[transformer]` of `plans/sapbert.toml`, what one run is, and in which order the runs are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from transformer_runs import CHOOSING

__all__ = [
    "ADAPTERS",
    "BASE",
    "MASKED",
    "MASKED_SAMPLE",
    "MORE_PAIRS",
    "PASS",
    "Alignment",
    "FineTuning",
    "FineTuningPlan",
    "Masked",
    "MaskedPlan",
    "Run",
    "Transformer",
]

BASE, PASS, MASKED, MASKED_SAMPLE, MORE_PAIRS = "base", "pass", "masked", "masked-sample", "more-pairs"
ADAPTERS: dict[str, dict[str, Any]] = {
    f"{kind}-{size}": {"adapters": {"kind": kind, "size": size}}
    for kind in ("pfeiffer", "houlsby")
    for size in ("large", "small")
}


@dataclass(frozen=True)
class Alignment:
    """One run of self-alignment.

    share  passes of the main run; share of the concepts of the others
    part   what it is scored on: "train" mentions for a choice of the learning rate, "dev" otherwise
    """

    name: str
    seed: int
    rate: float
    share: float
    objective: Mapping[str, Any]
    encoder: Mapping[str, Any]
    hard: float
    part: str = "dev"

    @property
    def key(self) -> str:
        """Of its files."""
        return f"{self.name}-{self.share:g}-{self.rate:g}-{self.seed}"


@dataclass(frozen=True)
class FineTuning:
    """One run of fine-tuning on the training mentions of a corpus; start: `BASE` or `PASS`."""

    start: str
    corpus: str
    passes: float
    pairs: int
    rate: float
    seed: int = 0
    part: str = "dev"

    @property
    def name(self) -> str:
        """In tables."""
        return f"{self.start}-{self.corpus}"

    @property
    def key(self) -> str:
        """Of its files."""
        return f"{self.name}-{self.passes:g}x{self.pairs}-{self.rate:g}-{self.seed}"


@dataclass(frozen=True)
class Masked:
    """One run of masked-language modelling on texts."""

    passes: float
    rate: float
    seed: int = 0
    part: str = "dev"

    @property
    def name(self) -> str:
        """In tables."""
        return MASKED

    @property
    def key(self) -> str:
        """Of its files."""
        return f"{self.name}-{self.passes:g}-{self.rate:g}-{self.seed}"


Run = Alignment | FineTuning | Masked


@dataclass(frozen=True, kw_only=True)
class FineTuningPlan:
    """The section `[transformer.fine_tuning]`.

    passes  over the pairs of a training mention and a name of its concept, by corpus, in the order of the runs
    pairs   of a batch
    rate    learning rate
    """

    passes: Mapping[str, float]
    pairs: int
    rate: float


@dataclass(frozen=True, kw_only=True)
class MaskedPlan:
    """The section `[transformer.masked]`.

    texts     files, below LINNET_DATA
    passes    over the texts         tokens  of a sequence         batch  sequences of a batch
    rate      learning rate
    held_out  share of the documents that tell how well hidden words are predicted
    """

    texts: tuple[str, ...]
    passes: float
    tokens: int
    batch: int
    rate: float
    held_out: float


@dataclass(frozen=True, kw_only=True)
class Transformer:
    """The section `[transformer]`.

    start          directory of the transformer
    terminologies  whose names are learnt; a pass has each name of a concept with several names in one pair
    passes         of the main run
    sample         share of the concepts, drawn once, whose names the other runs learn in one pass
    pairs, hard, refresh, precision, dropout, warm_up
                   keys of the run file
    rates          learning rates to choose from, of full training and of adapters
    seeds          of mining on and off; one of the rest
    objectives     besides multi-similarity
    adapters       keys of `ADAPTERS`
    minutes        between checkpoints
    masked         None for no run on texts
    more_pairs     pairs of a concept of one more run on the sample; None for no such run
    """

    start: Path
    terminologies: tuple[Path, ...]
    passes: float
    sample: float
    pairs: int
    hard: float
    refresh: int
    precision: str
    dropout: float
    warm_up: int
    rates: Mapping[str, Any]
    seeds: int
    objectives: tuple[str, ...]
    adapters: tuple[str, ...]
    fine_tuning: FineTuningPlan
    minutes: float
    masked: MaskedPlan | None = None
    more_pairs: int | None = None

    def shared(self) -> dict[str, Any]:
        """The settings that every result depends on. Those of single runs are in their keys."""
        names = ("pairs", "hard", "refresh", "precision", "dropout", "warm_up")
        own = {name: getattr(self, name) for name in names}
        return {"start": self.start.name, "terminologies": [path.name for path in self.terminologies], **own}

    def order(self) -> list[tuple[str, int]]:
        """(name, seed) of all runs, the most wanted first."""
        names = [PASS, "mining-on", "mining-off", *self.fine_tunings]
        names += [*self.adapters, *self.objectives, "neighbours-off"]
        names += [MASKED, MASKED_SAMPLE] if self.masked else []
        names += [MORE_PAIRS] if self.more_pairs else []
        later = [(name, seed) for seed in range(1, self.seeds) for name in ("mining-on", "mining-off")]
        return [*((name, 0) for name in names), *later]

    @cached_property
    def fine_tunings(self) -> dict[str, FineTuning]:
        """By name: of the transformer as it is and after the pass, on each corpus."""
        given = self.fine_tuning
        runs = [
            FineTuning(start, corpus, passes, given.pairs, given.rate)
            for corpus, passes in given.passes.items()
            for start in (BASE, PASS)
        ]
        return {run.name: run for run in runs}

    def alignment(self, name: str, seed: int, rate: float) -> Alignment:
        """A run of self-alignment."""
        kind = name if name in self.objectives else "multi-similarity"
        return Alignment(
            name,
            seed,
            rate,
            self.passes if name == PASS else self.sample,
            {"kind": kind, "mining": name != "mining-off"},
            ADAPTERS.get(name, {}),
            0.0 if name == "neighbours-off" else self.hard,
            "train" if seed == CHOOSING else "dev",
        )

    def choices(self, kind: str) -> list[Alignment]:
        """The runs that choose the learning rate of "full" training or of "adapters"; none where there is one rate."""
        rates = self.rates[kind]
        name = "mining-on" if kind == "full" else self.adapters[0]
        return [self.alignment(name, CHOOSING, rate) for rate in (rates if len(rates) > 1 else ())]
