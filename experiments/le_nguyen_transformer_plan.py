"""The run file of `le_nguyen_transformers.py`, and what one run is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Choice", "Part", "Repeated", "Run", "TransformerPlan"]

Part = tuple[str, ...]
"""A corpus and what retrieves its candidates, "dense" or "sparse"."""


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
    """The run file.

    experiment    plan of `le_nguyen.py`, for everything that is not said here
    start         directory of the transformer        first_layers  to use of it, None for all
    parts         in the order in which they are done
    length, names, mention_pooling, entity_pooling, dropout, refresh, reencoded, warm_up, precision
                  keys of the run file
    passes        over the clusters of a corpus
    seeds         of each run
    minutes       between checkpoints
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


@dataclass(frozen=True)
class Run:
    """One training. `dev`: scored on the dev mentions, else only on the documents held out of train."""

    part: Part
    objective: str
    seed: int
    rate: float
    passes: float
    dev: bool = True
    name: str = ""

    @property
    def key(self) -> str:
        """Of its files."""
        words = (self.name, *self.part, self.objective, f"{self.rate:g}", str(self.seed))
        return "-".join(word for word in words if word)
