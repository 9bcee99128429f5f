"""The run files of the DILBERT experiments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from harness import HERE, Kept, key_of

from linnet.io.artifact import digest

__all__ = ["PLAN", "TRANSFORMER_PLAN", "Nil", "Plan", "Strategy", "TransformerPlan"]

PLAN = HERE / "plans/dilbert.toml"
TRANSFORMER_PLAN = HERE / "plans/dilbert_transformer.toml"


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """How triplets are drawn, and how many names of parents or siblings are added."""

    strategy: str
    k: int = 2


@dataclass(frozen=True, kw_only=True)
class Nil:
    """The experiment with concepts taken out of the terminology.

    corpora      whose dev mentions are linked
    removed      share of the refined dev mentions whose concept is taken out
    removals     how often concepts are drawn, each with an encoder of its own
    splits       of the mentions into those that choose the threshold and the others, for each removal
    tuning       mentions that choose it
    held_out     share of the training documents, not trained on, for the threshold that is chosen on train
    """

    corpora: tuple[str, ...]
    removed: float
    removals: int
    splits: int
    tuning: int
    held_out: float


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The run file of `dilbert.py`.

    encoder     keys of [encoder] of the n-gram encoder
    steps       of a stage: resampling goes on from one stage of `random` for another, the others are trained for both
    choices     margins and learning rates that are compared inside train, and in how many folds
    """

    work: Path
    results: Path
    seeds: Mapping[str, int]
    transfer: Mapping[str, tuple[str, ...]]
    strategies: Mapping[str, Strategy]
    encoder: Mapping[str, Any]
    triplets: int
    steps: int
    margin: float
    choices: Mapping[str, tuple[float, ...]]
    folds: int
    nil: Nil

    @cached_property
    def kept(self) -> Kept:
        """Results of runs."""
        return Kept(self.work / f"results-{key_of(asdict(self))}", "json")


@dataclass(frozen=True, kw_only=True)
class TransformerPlan:
    """The run file of `dilbert_transformers.py`; its texts say what each key is.

    experiment  run file of the n-gram encoder, for `work` and `results`
    repository  directory that keeps what runs found, else `work`
    """

    experiment: Path
    start: Path
    triplets: int
    steps: int
    margin: float
    warm_up: float
    rates: tuple[float, ...]
    nearest: int
    among: int
    precision: str
    minutes: float
    seeds: Mapping[str, int]
    transfer: Mapping[str, tuple[str, ...]]
    strategies: Mapping[str, Strategy]
    nil: Nil
    work: Path = Path()
    results: Path = Path()
    repository: Path | None = None

    @cached_property
    def _key(self) -> str:
        """Of what the runs depend on. Each result says of which `transfer` or `nil` it is."""
        settings = {**asdict(self), "start": self.start.name, "minutes": 0, "seeds": 0, "experiment": ""}
        for name in ("work", "results", "repository", "transfer", "nil"):
            settings.pop(name)
        return digest(json.dumps(settings, sort_keys=True))[:8]

    @property
    def folder(self) -> Path:
        """Of runs."""
        return self.work.absolute() / f"transformers-{self._key}"

    @cached_property
    def kept(self) -> Kept:
        """Results of runs."""
        return Kept(self.repository / f"dilbert-{self._key}" if self.repository else self.folder, "json")
