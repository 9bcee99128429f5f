"""The run file of `dilbert_transformers.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from dilbert_data import Nil, Strategy

from linnet.artifact import digest

__all__ = ["TransformerPlan"]


@dataclass(frozen=True, kw_only=True)
class TransformerPlan:
    """The run file; its texts say what each key is.

    experiment  run file of the n-gram encoder, for `work` and `results`
    kept        directory that keeps what runs found, else `work`
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
    kept: Path | None = None

    @cached_property
    def _key(self) -> str:
        """Of what the runs depend on. Each result says of which `transfer` or `nil` it is."""
        settings = {**asdict(self), "start": self.start.name, "minutes": 0, "seeds": 0, "experiment": ""}
        for name in ("work", "results", "kept", "transfer", "nil"):
            settings.pop(name)
        return digest(json.dumps(settings, sort_keys=True))[:8]

    @property
    def folder(self) -> Path:
        """Of runs."""
        return self.work.absolute() / f"transformers-{self._key}"

    def file(self, *parts: object) -> Path:
        """Where the result of a run lies."""
        folder = self.folder if self.kept is None else self.kept / f"dilbert-{self._key}"
        return folder / ("-".join(map(str, parts)).replace(" ", "") + ".json")
