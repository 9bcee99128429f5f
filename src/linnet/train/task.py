"""The contract of a task: it gives the loop a module, losses and development scores, and writes the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self

from linnet.errors import RequestError
from linnet.io.settings_files import check_at_least

if TYPE_CHECKING:
    import torch

__all__ = ["LoopSettings", "RunSettings", "Task"]


@dataclass(frozen=True, kw_only=True)
class LoopSettings:
    """The section `[loop]` of every run file.

    steps             batches to train on
    passes            over the data, instead of `steps`; may be a fraction
    warm_up           steps in which the learning rate rises from 0
    schedule          of the learning rate afterwards: constant, or falling to 0 along a line or half a cosine
    evaluate_every    steps between evaluations, each a row of metrics.csv
    patience          evaluations in a row without a better score that end training; None for no limit
    checkpoint_every, checkpoint_minutes
                      steps, or minutes, between checkpoints; without both there is one after each evaluation
    checkpoints       existing directory for them, for example on another disk; None for the run's own
    precision         of matrix products, on a GPU and bf16 also on a CPU that multiplies it fast; weights stay fp32
    device            "auto" is the GPU if there is one
    clip              greatest norm of the gradient; None for no limit
    threads           of the CPU; None for torch's default
    """

    steps: int = 1000
    passes: float | None = None
    warm_up: int = 0
    schedule: Literal["constant", "linear", "cosine"] = "linear"
    evaluate_every: int = 100
    patience: int | None = None
    checkpoint_every: int | None = None
    checkpoint_minutes: float | None = None
    checkpoints: Path | None = None
    precision: Literal["fp32", "bf16", "fp16"] = "fp32"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    clip: float | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        check_at_least(self, 1, "steps", "evaluate_every", "patience", "checkpoint_every", "threads")
        check_at_least(self, 0, "warm_up")
        if self.passes is None and self.warm_up > self.steps:
            raise ValueError(f"'warm_up' is {self.warm_up}; expected 0 to {self.steps}, the number of steps.")
        for name in ("clip", "passes", "checkpoint_minutes"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"'{name}' is {value}; expected more than 0.")

    def counted(self, steps_of_pass: int) -> LoopSettings:
        """The same with `steps` in place of `passes`. Raises RequestError where they are fewer than those to warm up."""
        if self.passes is None:
            return self
        steps = max(1, round(self.passes * steps_of_pass))
        if self.warm_up > steps:
            raise RequestError(
                f"'loop.warm_up' is {self.warm_up:,}, but the run has only {steps:,} steps. Lower it."
            )
        return replace(self, steps=steps, passes=None)


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """The keys of every run file; a task's settings add sections.

    task    name in `linnet.train.tasks.tasks`
    output  the model directory; the run keeps its own files in `OUTPUT.run/`
    seed    of everything random: weights, batches, draws
    card    Markdown file that opens the model card: purpose, data, licences
    """

    task: str
    output: Path
    seed: int = 0
    card: Path | None = None
    loop: LoopSettings = field(default_factory=LoopSettings)

    def __post_init__(self) -> None:
        check_at_least(self, 0, "seed")


class Task(Protocol):
    """One way to train, read from a run file.

    Settings   a frozen dataclass, subclass of `RunSettings`
    batch_key  the key that sets a step's memory ("data.pairs"), named in the message when memory runs out
    module     all weights; checkpoints hold its `state_dict`. The loop moves it to the device
    data       name → digest of everything that was read but the weights to start from, see `inputs`
    """

    Settings: ClassVar[type[RunSettings]]
    batch_key: ClassVar[str]
    module: torch.nn.Module
    data: Mapping[str, str]

    @classmethod
    def prepare(cls, settings: Any) -> Self:
        """Read the data and draw the weights: the same for the same seed (torch is already seeded).

        Raises DataError for unusable data, RequestError for settings that contradict one another, StoreError or
        UnknownNameError for a missing model to start from.
        """
        ...

    def inputs(self) -> dict[str, str]:
        """`data`, and "start", where `module` says from which weights it started: a run resumes only with the same."""
        start: str = getattr(self.module, "digest", "")
        return {**self.data, **({"start": start} if start else {})}

    def optimiser(self) -> torch.optim.Optimizer:
        """A new optimiser over `module`, by default its own; its groups' learning rates are the schedule's peaks."""
        optimiser: torch.optim.Optimizer = self.module.optimiser()  # type: ignore[operator]
        return optimiser

    def loss(self, step: int) -> torch.Tensor:
        """() of batch `step`, counted from 0.

        The batch depends only on the seed, the step, `module` and `state` (`np.random.default_rng([seed, step])`), so
        that a resumed run need not repeat earlier batches.
        """
        ...

    def steps_of_pass(self) -> int | None:
        """Batches in which everything that is learnt from comes once; by default None, for a task without passes."""
        return None

    def evaluate(self) -> dict[str, float]:
        """Scores on development data, higher is better, always the same names; {} without development data.

        The first score decides which weights are best and when patience ends. Called without gradients, with `module`
        in evaluation mode, before the first step and then every `evaluate_every` steps.
        """
        ...

    def state(self) -> dict[str, torch.Tensor]:
        """What a resumed run needs besides `module` and optimiser, for example hard negatives; by default nothing."""
        return {}

    def load_state(self, state: Mapping[str, torch.Tensor]) -> None:
        """Restore what `state` returned; the tensors are on the CPU."""

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the model directory, as `linnet.encode.model.write_model` does.

        card      text of the model card
        training  for `Model.training`
        """
        ...
