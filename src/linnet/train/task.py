"""What can be trained: a task gives the loop a module, batches' losses and development scores, and writes the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self

if TYPE_CHECKING:
    import torch

__all__ = ["LoopSettings", "RunSettings", "Task"]


@dataclass(frozen=True, kw_only=True)
class LoopSettings:
    """The section `[loop]` of every run file.

    steps             batches to train on
    warm_up           of these, how many the learning rate takes to rise from 0
    schedule          what it does then: stays, or falls to 0 at the last step, along a line or half a cosine
    evaluate_every    steps between evaluations, each a row of metrics.csv
    patience          evaluations in a row without a better score after which training ends; None for never
    checkpoint_every  steps between checkpoints; None for one after each evaluation
    precision         of what runs on a GPU (weights stay fp32); a CPU computes in fp32
    device            "auto" is the GPU where there is one
    clip              greatest norm of the gradient, a larger one is scaled down to it; None for any
    threads           of the CPU; None for what torch takes
    """

    steps: int = 1000
    warm_up: int = 0
    schedule: Literal["constant", "linear", "cosine"] = "linear"
    evaluate_every: int = 100
    patience: int | None = None
    checkpoint_every: int | None = None
    precision: Literal["fp32", "bf16", "fp16"] = "fp32"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    clip: float | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        for name in ("steps", "evaluate_every", "patience", "checkpoint_every", "threads"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"'{name}' is {value}; expected 1 or more.")
        if not 0 <= self.warm_up <= self.steps:
            raise ValueError(f"'warm_up' is {self.warm_up}; expected 0 to {self.steps}, the number of steps.")
        if self.clip is not None and not self.clip > 0:
            raise ValueError(f"'clip' is {self.clip}; expected more than 0.")


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """What every run file has; a task's settings add sections of their own.

    task    name in `linnet.train.tasks.tasks`
    output  the model directory; the run keeps its own files in `OUTPUT.run/`
    seed    of the weights, the batches and all else that is drawn
    card    Markdown that opens the model card: what the model is for, its data and their licences
    """

    task: str
    output: Path
    seed: int = 0
    card: Path | None = None
    loop: LoopSettings = field(default_factory=LoopSettings)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"'seed' is {self.seed}; expected 0 or more.")


class Task(Protocol):
    """One way to train, read from a run file.

    Settings   a frozen dataclass, subclass of `RunSettings`
    batch_key  the key that sets how much one step holds in memory ("data.pairs"), named when memory runs out
    module     everything that is learnt; checkpoints hold its `state_dict`. The loop moves it to the device
    data       name → digest of everything that was read; a run is resumed only on the same data
    """

    Settings: ClassVar[type[RunSettings]]
    batch_key: ClassVar[str]
    module: torch.nn.Module
    data: Mapping[str, str]

    @classmethod
    def prepare(cls, settings: Any) -> Self:
        """The task, its data read and its weights drawn, the same for the same seed (torch is seeded already).

        Raises DataError where the data cannot be learnt from, RequestError where settings contradict one another,
        StoreError or UnknownNameError where a model to start from is not there.
        """
        ...

    def optimiser(self) -> torch.optim.Optimizer:
        """A new one over `module`; the learning rates of its groups are the peaks of the schedule."""
        ...

    def loss(self, step: int) -> torch.Tensor:
        """() of batch `step`, counted from 0.

        The batch follows from the seed, the step and what is in `module` and `state` alone
        (`np.random.default_rng([seed, step])`), so that a resumed run need not go through the batches before.
        """
        ...

    def evaluate(self) -> dict[str, float]:
        """Scores on development data, higher is better, always under the same names; {} where there are no such data.

        The first one decides which weights are the best and when patience ends. Called without gradients, with
        `module` in evaluation mode, before the first step and then every `evaluate_every` steps.
        """
        ...

    def state(self) -> dict[str, torch.Tensor]:
        """What besides `module` and optimiser a resumed run needs, hard negatives for example; {} if nothing."""
        ...

    def load_state(self, state: Mapping[str, torch.Tensor]) -> None:
        """Go on where `state` was taken; its tensors come on the CPU."""
        ...

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the model directory, with `linnet.encode.model.write_model` or in its way.

        card      text about the run, for the model card
        training  for `Model.training`
        """
        ...
