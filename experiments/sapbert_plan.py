"""The run file of the SapBERT experiments, what one run is, and in which order a transformer's runs are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from harness import CHOOSING, HERE
from transformer_runs import portable

__all__ = [
    "ADAPTERS", "BASE", "MASKED", "MASKED_SAMPLE", "MORE_PAIRS", "PASS", "PLAN", "FineTuning", "Masked", "Plan", "Run",
    "Transformer", "sample_name",
]  # fmt: skip

PLAN = HERE / "plans/sapbert.toml"
BASE, PASS, MASKED, MASKED_SAMPLE, MORE_PAIRS = "base", "pass", "masked", "masked-sample", "more-pairs"
ADAPTERS: dict[str, dict[str, Any]] = {
    f"{kind}-{size}": {"adapters": {"kind": kind, "size": size}}
    for kind in ("pfeiffer", "houlsby")
    for size in ("large", "small")
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """One training of the transformer.

    amount  in the name of its files: what is trained on, and how long
    passes  over it
    start   name of the run that it goes on from; "" for the transformer as it is
    corpus  whose training mentions are learnt, in fine-tuning
    table   sections of its run file
    part    what it is scored on: "train" mentions for a choice of the learning rate, "dev" otherwise
    """

    name: str
    rate: float
    amount: str
    passes: float
    table: Mapping[str, Any]
    seed: int = 0
    start: str = ""
    corpus: str = ""

    @property
    def key(self) -> str:
        """Of its files."""
        return f"{self.name}-{self.amount}-{self.rate:g}-{self.seed}"

    @property
    def part(self) -> str:
        return "train" if self.seed == CHOOSING else "dev"


def sample_name(share: float) -> str:
    """Of the directory with the terminology of a sample, beside those of run files and models."""
    return f"sample-{share:g}"


@dataclass(frozen=True, kw_only=True)
class FineTuning:
    """The section `[transformer.fine_tuning]`.

    passes  over the pairs of a training mention and a name of its concept, by corpus, in the order of the runs
    pairs   of a batch
    rate    learning rate
    """

    passes: Mapping[str, float]
    pairs: int
    rate: float


@dataclass(frozen=True, kw_only=True)
class Masked:
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
    fine_tuning: FineTuning
    minutes: float
    masked: Masked | None = None
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
    def fine_tunings(self) -> dict[str, Run]:
        """By name: of the transformer as it is and after the pass, on each corpus, with mining."""
        given, runs = self.fine_tuning, {}
        for corpus, passes in given.passes.items():
            for start in (BASE, PASS):
                table = {
                    "task": "mention-synonyms",
                    "objective": {"kind": "multi-similarity", "mining": True},
                    "data": {"pairs": given.pairs},
                }
                runs[f"{start}-{corpus}"] = Run(
                    name=f"{start}-{corpus}", rate=given.rate, amount=f"{passes:g}x{given.pairs}", passes=passes,
                    table=table, start=PASS if start == PASS else "", corpus=corpus,
                )  # fmt: skip
        return runs

    def alignment(self, name: str, rate: float, seed: int = 0) -> Run:
        """A run of self-alignment: the pass learns the plan's terminologies, every other run their sample."""
        pairing: dict[str, Any] = {"pairing": "once"}
        if name == MORE_PAIRS:
            pairing = {"pairing": "combinations", "most": self.more_pairs}
        whole = name == PASS
        table = {
            "task": "synonyms",
            "encoder": ADAPTERS.get(name, {}),
            "objective": {
                "kind": name if name in self.objectives else "multi-similarity",
                "mining": name != "mining-off",
            },
            "data": {
                "terminologies": list(map(portable, self.terminologies)) if whole else [f"../{sample_name(self.sample)}"],
                **pairing,
                "pairs": self.pairs,
                "hard": 0.0 if name == "neighbours-off" else self.hard,
                "refresh": self.refresh,
            },
        }  # fmt: skip
        return Run(
            name=name, rate=rate, amount=f"{self.passes if whole else self.sample:g}", passes=self.passes if whole else 1.0,
            table=table, seed=seed, start=MASKED if name == MASKED_SAMPLE else "",
        )  # fmt: skip

    def on_texts(self, given: Masked) -> Run:
        """The run of masked-language modelling."""
        data = {
            "texts": [f"${{LINNET_DATA}}/{file}" for file in given.texts],
            "tokens": given.tokens,
            "batch": given.batch,
            "held_out": given.held_out,
        }
        table = {"task": "masked-language", "data": data}
        return Run(name=MASKED, rate=given.rate, amount=f"{given.passes:g}", passes=given.passes, table=table)

    def choices(self, kind: str) -> list[Run]:
        """The runs that choose the learning rate of "full" training or of "adapters"; none where there is one rate."""
        rates = self.rates[kind]
        name = "mining-on" if kind == "full" else self.adapters[0]
        return [self.alignment(name, rate, CHOOSING) for rate in (rates if len(rates) > 1 else ())]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The run file; `transformer` is that of `sapbert_transformers.py`."""

    work: Path
    results: Path
    pairs: int
    steps: int
    seeds: int
    objectives: tuple[str, ...]
    rates: tuple[float, ...]
    encoder: Mapping[str, Any]
    transformer: Transformer

    @property
    def settings(self) -> list[tuple[str, str]]:
        """(objective, mining) of tables 2 and 6."""
        both = [(kind, mining) for kind in self.objectives for mining in ("off", "release")]
        return [*both, ("multi-similarity", "paper")]
