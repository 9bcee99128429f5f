"""The training loop: batches, learning rate, evaluation, checkpoints, and when to stop."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Literal, NamedTuple, Protocol

import torch

from linnet.errors import DamagedError, RequestError, TrainingError
from linnet.train.checkpoint import random_state, read_checkpoint, restore_random_state, write_checkpoint
from linnet.train.clipping import clip_gradient
from linnet.train.metrics import FIRST_COLUMNS, Row, append_row, draw_metrics, write_rows
from linnet.train.stopping import asked_to_stop
from linnet.train.task import LoopSettings, Task

__all__ = [
    "BEST",
    "CSV",
    "LAST",
    "PICTURE",
    "Ending",
    "Listener",
    "Silent",
    "Trained",
    "device_of",
    "rate",
    "train",
]

LAST, BEST, CSV, PICTURE = "last.safetensors", "best.safetensors", "metrics.csv", "metrics.png"

Ending = Literal["steps", "patience", "interrupted", "terminated"]
_MIXED = {"bf16": torch.bfloat16, "fp16": torch.float16}
# Drawing takes some tenths of a second; a run with frequent evaluations draws not more often than this.
_SECONDS_BETWEEN_PICTURES = 10.0


class Listener(Protocol):
    """What is told how training goes."""

    def stepped(self, step: int, loss: float) -> None:
        """So many steps are done; the loss of the last one."""

    def evaluated(self, row: Row, *, best: bool) -> None:
        """A row of metrics.csv, and whether its weights are the best so far."""

    def said(self, message: str) -> None:
        """Something a person should know."""


class Silent:
    """A listener that keeps all to itself."""

    def stepped(self, step: int, loss: float) -> None:
        """Nothing."""

    def evaluated(self, row: Row, *, best: bool) -> None:
        """Nothing."""

    def said(self, message: str) -> None:
        """Nothing."""


@dataclass
class _Progress:
    """What a resumed run knows of the one before, besides tensors."""

    step: int = 0
    seconds: float = 0.0
    losses: list[float] = field(default_factory=list)  # since the last row
    rows: list[dict[str, float]] = field(default_factory=list)
    best: float | None = None
    best_step: int | None = None
    waited: int = 0  # evaluations since the best one


class Trained(NamedTuple):
    """How a run went. `best_step` is None where nothing was evaluated."""

    ending: Ending
    step: int
    seconds: float
    rows: list[dict[str, float]]
    best_step: int | None

    @property
    def scores(self) -> dict[str, float]:
        """Scores of the best weights; empty where nothing was evaluated."""
        found = [row for row in self.rows if row["step"] == self.best_step]
        return {name: value for row in found for name, value in row.items() if name not in FIRST_COLUMNS}


def train(
    task: Task, settings: LoopSettings, folder: Path, *, title: str = "", told: Listener | None = None
) -> Trained:
    """Train a task, going on from the last checkpoint in `folder` where there is one.

    folder  takes LAST, BEST, CSV and PICTURE        title  of the picture

    At the end `task.module` has the best weights, or the last ones where nothing was evaluated; after an
    interruption (Ctrl-C, SIGTERM) the last ones, which are saved. Raises TrainingError when the loss, the gradient or a
    weight is not finite, or memory runs out: the checkpoint before that is kept.
    """
    run = _Run(task, settings, folder, title, told or Silent())
    with asked_to_stop() as stop, _short_of_memory(task, run.progress, folder):
        while True:
            if run.progress.step % settings.evaluate_every == 0 or run.at_end:
                run.evaluate()
            stopped = stop()
            if run.checkpoint_due or run.at_end or run.out_of_patience or stopped:
                run.save()
            if run.at_end or run.out_of_patience or stopped:
                break
            run.step()
    ending: Ending = "steps" if run.at_end else "patience"
    if stopped and not run.at_end and not run.out_of_patience:
        ending = "interrupted" if stopped == signal.SIGINT else "terminated"
    return run.end(ending)


class _Run:
    """What the loop does, one method for each of its lines; see `train`."""

    def __init__(self, task: Task, settings: LoopSettings, folder: Path, title: str, told: Listener) -> None:
        self.task, self.settings, self.folder, self.title, self.told = task, settings, folder, title, told
        self.device = device_of(settings)
        self.mixed = _MIXED.get(settings.precision) if self.device.type == "cuda" else None
        if settings.precision != "fp32" and self.mixed is None:
            told.said(
                f"Training on a CPU, in fp32; loop.precision is '{settings.precision}', which is for GPUs."
            )
        task.module.to(self.device)
        self.optimiser = task.optimiser()
        self.peaks = [group["lr"] for group in self.optimiser.param_groups]
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.mixed is torch.float16)
        self.progress = _Progress()
        self.saved = -1
        if (folder / LAST).exists():
            self.restore()
            told.said(f"Going on after step {self.progress.step:,} of {settings.steps:,}.")
        write_rows(folder / CSV, self.progress.rows)
        self.began = perf_counter() - self.progress.seconds
        self.drawn = perf_counter()

    @property
    def at_end(self) -> bool:
        return self.progress.step == self.settings.steps

    @property
    def out_of_patience(self) -> bool:
        return self.settings.patience is not None and self.progress.waited >= self.settings.patience

    @property
    def checkpoint_due(self) -> bool:
        every = self.settings.checkpoint_every or self.settings.evaluate_every
        # With new best weights always: BEST is never of a step that a run resumed elsewhere does not know.
        return self.progress.step % every == 0 or self.progress.best_step == self.progress.step

    def step(self) -> None:
        """One batch: its loss, its gradient, new weights."""
        progress, module = self.progress, self.task.module
        for group, peak in zip(self.optimiser.param_groups, self.peaks, strict=True):
            group["lr"] = peak * rate(progress.step, self.settings)
        module.train()
        with torch.autocast(self.device.type, self.mixed, enabled=self.mixed is not None):
            loss = self.task.loss(progress.step)
        value = float(loss.detach())
        self.finite(value, "loss")
        self.optimiser.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        self.scaler.unscale_(self.optimiser)
        norm = clip_gradient(module.parameters(), most=self.settings.clip)
        if not self.scaler.is_enabled():  # a scaler leaves such a step out and lowers its scale
            self.finite(norm, "gradient")
        self.scaler.step(self.optimiser)
        self.scaler.update()
        progress.step += 1
        progress.losses.append(value)
        self.told.stepped(progress.step, value)

    def evaluate(self) -> None:
        """A row of metrics, and the weights kept if they are the best; nothing where a resumed run has the row."""
        progress = self.progress
        if progress.rows and progress.rows[-1]["step"] == progress.step:
            return
        self.task.module.eval()
        with torch.no_grad():
            scores = self.task.evaluate()
        row: dict[str, float] = {
            "step": progress.step,
            "seconds": perf_counter() - self.began,
            "learning_rate": self.peaks[0] * rate(max(progress.step - 1, 0), self.settings),
        }
        if progress.losses:
            row["loss"] = math.fsum(progress.losses) / len(progress.losses)
        progress.losses = []
        progress.rows.append({**row, **scores})
        better = _note_score(progress, scores)
        if better:
            best = {"step": progress.step, "module": self.task.module.state_dict()}
            write_checkpoint(self.folder / BEST, best)
        append_row(self.folder / CSV, progress.rows[-1])
        self.told.evaluated(progress.rows[-1], best=better)
        if perf_counter() - self.drawn > _SECONDS_BETWEEN_PICTURES:
            self.draw()

    def save(self) -> None:
        """The checkpoint that a resumed run begins with."""
        if self.saved == self.progress.step:
            return
        for name, weights in self.task.module.named_parameters():
            if not bool(torch.isfinite(weights).all()):
                self.finite(math.nan, f"weight '{name}'")
        self.progress.seconds = perf_counter() - self.began
        state = {
            "progress": asdict(self.progress),
            "module": self.task.module.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "scaler": self.scaler.state_dict(),
            "task": self.task.state(),
            "random": random_state(),
        }
        write_checkpoint(self.folder / LAST, state)
        self.saved = self.progress.step

    def restore(self) -> None:
        """Everything as it was when `save` wrote it."""
        state = read_checkpoint(self.folder / LAST)
        self.task.module.load_state_dict(state["module"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.scaler.load_state_dict(state["scaler"])
        self.task.load_state(state["task"])
        restore_random_state(state["random"])
        self.progress = _Progress(**state["progress"])
        self.saved = self.progress.step

    def end(self, ending: Ending) -> Trained:
        """The picture drawn and, unless it is to be resumed, the best weights in place."""
        progress = self.progress
        self.draw()
        if ending in ("steps", "patience") and progress.best_step not in (None, progress.step):
            best = read_checkpoint(self.folder / BEST)
            if best["step"] != progress.best_step:
                raise DamagedError(
                    f"{self.folder / BEST} is of step {best['step']:,}; expected {progress.best_step:,}. "
                    "Train from the start with --overwrite."
                )
            self.task.module.load_state_dict(best["module"])
        self.task.module.eval()
        return Trained(ending, progress.step, progress.seconds, progress.rows, progress.best_step)

    def draw(self) -> None:
        draw_metrics(
            self.folder / PICTURE, self.progress.rows, title=self.title, best=self.progress.best_step
        )
        self.drawn = perf_counter()

    def finite(self, value: float, what: str) -> None:
        """Raises TrainingError unless the value is a number that one can go on with."""
        if not math.isfinite(value):
            raise TrainingError(
                f"The {what} is not finite ({value}) after {self.progress.step:,} steps.{_kept(self.folder)} "
                'Lower the learning rate, set or lower loop.clip, lengthen loop.warm_up, or use precision = "fp32", '
                "and start again with --overwrite."
            )


def rate(step: int, settings: LoopSettings) -> float:
    """Share of its peak that the learning rate has in a step, counted from 0.

    It rises in equal steps over the warm-up and reaches the peak with the first step after it; a falling one would be
    0 in the step after the last.
    """
    if step < settings.warm_up:
        return (step + 1) / (settings.warm_up + 1)
    if settings.schedule == "constant":
        return 1.0
    done = (step - settings.warm_up) / max(settings.steps - settings.warm_up, 1)
    return 1 - done if settings.schedule == "linear" else (1 + math.cos(math.pi * done)) / 2


def device_of(settings: LoopSettings) -> torch.device:
    """The device that settings ask for. Raises RequestError where there is no GPU, or none that computes in bf16."""
    there = torch.cuda.is_available()
    if settings.device == "cuda" and not there:
        raise RequestError(
            "loop.device is 'cuda', and PyTorch finds no GPU. Write device = \"auto\", or install a PyTorch "
            "that was built for your GPU."
        )
    device = torch.device("cuda" if there and settings.device != "cpu" else "cpu")
    if device.type == "cuda" and settings.precision == "bf16" and not torch.cuda.is_bf16_supported():
        raise RequestError(
            "loop.precision is 'bf16', which this GPU does not compute in. Write precision = \"fp16\"."
        )
    return device


def _note_score(progress: _Progress, scores: dict[str, float]) -> bool:
    """Whether the first score is the best so far; what is not a number never is."""
    if not scores:
        return False
    score = next(iter(scores.values()))
    if not math.isnan(score) and (progress.best is None or score > progress.best):
        progress.best, progress.best_step, progress.waited = score, progress.step, 0
        return True
    progress.waited += 1
    return False


def _kept(folder: Path) -> str:
    return f" The checkpoint before it is kept: {folder / LAST}." if (folder / LAST).exists() else ""


@contextmanager
def _short_of_memory(task: Task, progress: _Progress, folder: Path) -> Iterator[None]:
    """Say which setting to lower where memory runs out."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        # PyTorch has a class for a GPU's memory; its CPU allocator raises a plain RuntimeError.
        known = isinstance(error, (MemoryError, torch.OutOfMemoryError))
        if not known and "allocate memory" not in str(error) and "not enough memory" not in str(error):
            raise
        raise TrainingError(
            f"Out of memory after {progress.step:,} steps. Lower {task.batch_key} in the run file and start again "
            f"with --overwrite.{_kept(folder)}"
        ) from error
