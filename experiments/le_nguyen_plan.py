"""The run files of the Le & Nguyen experiments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from harness import HERE, Kept, key_of

__all__ = ["PLAN", "TRANSFORMER_PLAN", "Choice", "Part", "Plan", "Repeated", "TransformerPlan"]

PLAN = HERE / "plans/le_nguyen.toml"
TRANSFORMER_PLAN = HERE / "plans/le_nguyen_transformer.toml"
Part = tuple[str, ...]
"""A corpus and what retrieves its candidates, "dense" or "sparse"."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The run file of `le_nguyen.py`."""

    work: Path
    results: Path
    corpora: tuple[str, ...]
    objectives: tuple[str, ...]
    candidates: int
    clusters: int
    held_out: float
    refresh: int
    seeds: Mapping[str, int]
    margins: Mapping[str, float]
    rates: Mapping[str, float]
    epochs: Mapping[str, int]
    names: Mapping[str, int]
    encoder: Mapping[str, float]
    variants: Mapping[str, Any]
    variant_corpora: tuple[str, ...]
    variant_seeds: int

    @cached_property
    def kept(self) -> Kept:
        """Results of runs, by corpus, retrieval, objective or variant, and seed."""
        return Kept(self.work / f"results-{key_of(asdict(self))}")

    def terminology(self, corpus: str) -> Path:
        """Where the terminology of a corpus lies, named for the encoder of its dense index, too."""
        name = "mondo-hpo-do" if corpus == "medmentions" else "medic"
        return self.work / f"{name}-{key_of(self.names)[:6]}"

    def objective(self, corpus: str, kind: str) -> dict[str, Any]:
        """The section [objective] of an objective or variant, the paper's values where nothing else is said."""
        table = {"kind": kind, "margin": self.margins[corpus], **self.variants.get(kind, {})}
        if table["kind"] == "prototype-soft-radius":
            table = {"radius": "auto", "rate": self.rates[corpus], **table}
        return table

    def runs(self) -> list[tuple[str, str, str, int]]:
        """(corpus, retrieval, kind, seed), seed by seed, so that all is there once before anything is repeated."""
        found = []
        for seed in range(max(*self.seeds.values(), self.variant_seeds)):
            for retrieval, count in self.seeds.items():
                for corpus in self.corpora:
                    kinds = self.objectives if seed < count else ()
                    if retrieval == "dense" and corpus in self.variant_corpora and seed < self.variant_seeds:
                        kinds = (*kinds, *self.variants)
                    found += [(corpus, retrieval, kind, seed) for kind in kinds]
        return found


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Short runs of these objectives, scored on the documents held out of train, choose the learning rate."""

    rates: tuple[float, ...]
    part: Part
    objectives: tuple[str, ...]
    passes: float


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """A run that is done twice."""

    part: Part
    objective: str
    passes: float


@dataclass(frozen=True, kw_only=True)
class TransformerPlan:
    """The run file of `le_nguyen_transformers.py`.

    experiment    plan of `le_nguyen.py`, for everything that is not said here
    start         directory of the transformer        first_layers  to use of it, None for all
    parts         in the order in which they are done
    length, names, mention_pooling, entity_pooling, dropout, refresh, reencoded, warm_up, precision
                  keys of the run file
    passes        over the clusters of a corpus
    seeds         of each run
    minutes       between checkpoints
    work, results those of `experiment`
    """

    experiment: Path
    start: Path
    first_layers: int | None = None
    parts: tuple[Part, ...]
    length: int
    names: int
    mention_pooling: str
    entity_pooling: str
    dropout: float
    refresh: int
    reencoded: int
    warm_up: int
    precision: str
    passes: Mapping[str, float]
    choice: Choice
    repeated: Repeated
    seeds: int
    minutes: float
    work: Path = Path()
    results: Path = Path()
