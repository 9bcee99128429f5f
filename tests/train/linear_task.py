"""A task small enough to train in milliseconds: how long a name is, from the letters in it."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from linnet.encode.model import Model, write_model
from linnet.errors import DataError
from linnet.io import artifact
from linnet.io.files import read_text
from linnet.train.task import RunSettings, Task


@dataclass(frozen=True, kw_only=True)
class LinearSettings(RunSettings):
    """`trouble` happens in step `trouble_at`; each step takes `delay` seconds more than it needs."""

    names: Path
    batch: int = 8
    learning_rate: float = 0.05
    delay: float = 0.0
    trouble: str = ""
    trouble_at: int = 5


class LinearTask(Task):
    """Draws from all three generators, and keeps a state of its own, so that a resumed run must restore them all."""

    Settings: ClassVar[type[RunSettings]] = LinearSettings
    batch_key: ClassVar[str] = "batch"

    def __init__(self, settings: LinearSettings, names: list[str]) -> None:
        self.settings = settings
        self.data: Mapping[str, str] = {
            "names": artifact.digest(*names),
            str(settings.names): artifact.digest(settings.names),
        }
        self.module: torch.nn.Module = torch.nn.Sequential(torch.nn.Dropout(0.1), torch.nn.Linear(26, 1))
        letters = [[name.count(chr(97 + place)) for place in range(26)] for name in names]
        self.letters = torch.tensor(letters, dtype=torch.float32)
        self.lengths = torch.tensor([float(len(name)) for name in names])
        self.seen = torch.zeros(1, dtype=torch.int64)

    @classmethod
    def prepare(cls, settings: LinearSettings) -> Self:
        names = read_text(settings.names).split()
        if not names:
            raise DataError("there are no names to learn from.", path=settings.names)
        return cls(settings, names)

    def optimiser(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.module.parameters(), lr=self.settings.learning_rate)

    def loss(self, step: int) -> Tensor:
        time.sleep(self.settings.delay)
        self._trouble(step)
        rng = np.random.default_rng([self.settings.seed, step])
        rows = rng.integers(len(self.letters), size=self.settings.batch)
        noise = random.random() + float(np.random.rand())
        self.seen += self.settings.batch
        guess = self.module(self.letters[rows])[:, 0] + 0.01 * noise + 1e-4 * float(self.seen)
        loss: Tensor = (guess - self.lengths[rows]).square().mean()
        if self.settings.trouble == "gradient" and step == self.settings.trouble_at:
            loss = loss + (0 * guess).abs().sqrt().sum()  # finite, with a gradient that is not
        return loss

    def steps_of_pass(self) -> int | None:
        return None

    def evaluate(self) -> dict[str, float]:
        wrong = (self.module(self.letters)[:, 0] - self.lengths).square().mean()
        return {"fit": 1 / (1 + float(wrong)), "near": float(torch.exp(-wrong))}

    def state(self) -> dict[str, Tensor]:
        return {"seen": self.seen}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        self.seen = state["seen"]

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        model = Model("linear", directory.name, 26, "simplify", training=training)
        write_model(
            directory,
            model,
            fill=lambda draft: save_file(self.module.state_dict(), draft / "weights.safetensors"),
            card=card,
        )

    def _trouble(self, step: int) -> None:
        if step != self.settings.trouble_at:
            return
        if self.settings.trouble == "loss":
            with torch.no_grad():
                self.lengths += float("inf")
        if self.settings.trouble == "memory":
            raise MemoryError
        if self.settings.trouble == "allocator":
            torch.empty(1 << 60)
        if self.settings.trouble == "bug":
            raise RuntimeError("shapes do not match")
