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

from linnet.advice import Step
from linnet.errors import DamagedError, TrainingError
from linnet.system.free_memory import return_free_memory
from linnet.train.checkpoint import random_state, read_checkpoint, restore_random_state, write_checkpoint
from linnet.train.clipping import clip_gradient
from linnet.train.device import device_of, mixed_precision
from linnet.train.metrics import FIRST_COLUMNS, Row, append_row, draw_metrics, write_rows
from linnet.train.stopping import stop_requests
from linnet.train.task import LoopSettings, Task

__all__ = [
    "BEST",
    "CSV",
    "LAST",
    "PICTURE",
    "Ending",
    "Progress",
    "Trained",
    "checkpoint_folder",
    "rate",
    "train",
]

LAST, BEST, CSV, PICTURE = "last.safetensors", "best.safetensors", "metrics.csv", "metrics.png"

Ending = Literal["steps", "patience", "interrupted", "terminated"]
# Drawing takes some tenths of a second; a run with frequent evaluations draws no more often than this.
_SECONDS_BETWEEN_PICTURES = 10.0
# Batches of ever new sizes leave gaps in the memory of the C library, which would grow by gigabytes in an hour.
_SECONDS_BETWEEN_RETURNS = 10.0


class Progress(Protocol):
    """Is called as training proceeds. A subclass overrides the methods it needs; the others do nothing."""

    def planned(self, steps: int) -> None:
        """The data are read; training will have so many steps."""
        return

    def stepped(self, step: int, loss: float) -> None:
        """A step is done: its number, from 1, and its loss."""
        return

    def evaluated(self, row: Row, *, best: bool) -> None:
        """A row of metrics.csv, and whether its weights are the best so far."""
        return

    def notify(self, message: str) -> None:
        """A message for the user."""
        return


class _Silent(Progress):
    pass


@dataclass
class _State:
    """The part of a checkpoint that is not tensors. Field names are keys in checkpoints."""

    step: int = 0
    seconds: float = 0.0
    losses: list[float] = field(default_factory=list)  # since the last row
    rows: list[dict[str, float]] = field(default_factory=list)
    best: float | None = None
    best_step: int | None = None
    waited: int = 0  # evaluations since the best one


class Trained(NamedTuple):
    """The result of training. `best_step` is None where nothing was evaluated."""

    ending: Ending
    step: int
    seconds: float
    rows: list[dict[str, float]]
    best_step: int | None

    @property
    def scores(self) -> dict[str, float]:
        """Scores of the best weights; empty where nothing was evaluated."""
        best_rows = [row for row in self.rows if row["step"] == self.best_step]
        return {name: value for row in best_rows for name, value in row.items() if name not in FIRST_COLUMNS}


def train(
    task: Task, settings: LoopSettings, folder: Path, *, title: str = "", progress: Progress | None = None
) -> Trained:
    """Train a task, resuming from the last checkpoint if there is one.

    folder  of CSV and PICTURE, and of LAST and BEST unless the settings name another for checkpoints
    title   of the picture

    At the end `task.module` has the best weights, or the last ones where nothing was evaluated; after an
    interruption (Ctrl-C, SIGTERM) the last ones, which are saved. Raises TrainingError where the loss, the gradient or a
    weight is not finite, or memory runs out; the previous checkpoint is kept.
    """
    run = _Run(task, settings, folder, title, progress or _Silent())
    with stop_requests() as stop, _out_of_memory_advice(task, run):
        while True:
            if run.state.step % settings.evaluate_every == 0 or run.at_end:
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
    """The steps of the loop in `train`."""

    def __init__(
        self, task: Task, settings: LoopSettings, folder: Path, title: str, progress: Progress
    ) -> None:
        self.task, self.settings, self.folder, self.title = task, settings, folder, title
        self.last, self.best = (checkpoint_folder(settings, folder) / name for name in (LAST, BEST))
        self.progress = progress
        self.last.parent.mkdir(parents=True, exist_ok=True)
        self.device = device_of(settings)
        self.mixed = mixed_precision(settings, self.device)
        if settings.precision != "fp32" and self.mixed is None:
            progress.notify(
                f"Training on this CPU in fp32; loop.precision = '{settings.precision}' is for GPUs"
                + (" and CPUs that multiply bf16 fast." if settings.precision == "bf16" else ".")
            )
        task.module.to(self.device)
        self.optimiser = task.optimiser()
        self.peaks = [group["lr"] for group in self.optimiser.param_groups]
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.mixed is torch.float16)
        self.state = _State()
        self.saved = -1
        if self.last.exists():
            self.restore()
            progress.notify(f"Resuming after step {self.state.step:,} of {settings.steps:,}.")
        write_rows(folder / CSV, self.state.rows)
        self.began = perf_counter() - self.state.seconds
        # times of the last picture, of the last checkpoint, and of the last return of free memory
        self.drawn = self.kept = self.returned = perf_counter()

    @property
    def at_end(self) -> bool:
        return self.state.step == self.settings.steps

    @property
    def out_of_patience(self) -> bool:
        return self.settings.patience is not None and self.state.waited >= self.settings.patience

    @property
    def checkpoint_due(self) -> bool:
        steps, minutes = self.settings.checkpoint_every, self.settings.checkpoint_minutes
        if minutes is None:
            steps = steps or self.settings.evaluate_every
        # Always with new best weights: BEST must never be of a later step than LAST.
        return (
            (steps is not None and self.state.step % steps == 0)
            or (minutes is not None and perf_counter() - self.kept >= 60 * minutes)
            or self.state.best_step == self.state.step
        )

    def step(self) -> None:
        """One batch: its loss, its gradient, new weights."""
        state, module = self.state, self.task.module
        for group, peak in zip(self.optimiser.param_groups, self.peaks, strict=True):
            group["lr"] = peak * rate(state.step, self.settings)
        module.train()
        with torch.autocast(self.device.type, self.mixed, enabled=self.mixed is not None):
            loss = self.task.loss(state.step)
        value = float(loss.detach())
        self.finite(value, "loss")
        self.optimiser.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        self.scaler.unscale_(self.optimiser)
        norm = clip_gradient(module.parameters(), most=self.settings.clip)
        if not self.scaler.is_enabled():  # a scaler skips such a step and lowers its scale
            self.finite(norm, "gradient")
        self.scaler.step(self.optimiser)
        self.scaler.update()
        state.step += 1
        state.losses.append(value)
        self.progress.stepped(state.step, value)
        if perf_counter() - self.returned >= _SECONDS_BETWEEN_RETURNS:
            return_free_memory()
            self.returned = perf_counter()

    def evaluate(self) -> None:
        """Add a row of metrics, unless a resumed run has it, and keep the weights if they are the best."""
        state = self.state
        if state.rows and state.rows[-1]["step"] == state.step:
            return
        self.task.module.eval()
        with torch.no_grad():
            scores = self.task.evaluate()
        row: dict[str, float] = {
            "step": state.step,
            "seconds": perf_counter() - self.began,
            "learning_rate": self.peaks[0] * rate(max(state.step - 1, 0), self.settings),
        }
        if state.losses:
            row["loss"] = math.fsum(state.losses) / len(state.losses)
        state.losses = []
        state.rows.append({**row, **scores})
        better = _note_score(state, scores)
        if better:
            best = {"step": state.step, "module": self.task.module.state_dict()}
            write_checkpoint(self.best, best)
        append_row(self.folder / CSV, state.rows[-1])
        self.progress.evaluated(state.rows[-1], best=better)
        if perf_counter() - self.drawn > _SECONDS_BETWEEN_PICTURES:
            self.draw()

    def save(self) -> None:
        """Write the checkpoint from which a run resumes."""
        if self.saved == self.state.step:
            return
        for name, weights in self.task.module.named_parameters():
            if not bool(torch.isfinite(weights).all()):
                self.finite(math.nan, f"weight '{name}'")
        self.state.seconds = perf_counter() - self.began
        checkpoint = {
            "progress": asdict(self.state),
            "module": self.task.module.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "scaler": self.scaler.state_dict(),
            "task": self.task.state(),
            "random": random_state(),
        }
        write_checkpoint(self.last, checkpoint)
        self.saved, self.kept = self.state.step, perf_counter()

    def restore(self) -> None:
        """Read what `save` wrote."""
        checkpoint = read_checkpoint(self.last)
        self.task.module.load_state_dict(checkpoint["module"])
        self.optimiser.load_state_dict(checkpoint["optimiser"])
        self.scaler.load_state_dict(checkpoint["scaler"])
        self.task.load_state(checkpoint["task"])
        restore_random_state(checkpoint["random"])
        self.state = _State(**checkpoint["progress"])
        self.saved = self.state.step

    def end(self, ending: Ending) -> Trained:
        """Draw the picture and, unless the run may be resumed, load the best weights."""
        state = self.state
        self.draw()
        if ending in ("steps", "patience") and state.best_step not in (None, state.step):
            best = read_checkpoint(self.best)
            if best["step"] != state.best_step:
                raise DamagedError(
                    f"{self.best} is of step {best['step']:,}; expected {state.best_step:,}.",
                    Step.START_AGAIN(),
                )
            self.task.module.load_state_dict(best["module"])
        self.task.module.eval()
        return Trained(ending, state.step, state.seconds, state.rows, state.best_step)

    def draw(self) -> None:
        draw_metrics(self.folder / PICTURE, self.state.rows, title=self.title, best=self.state.best_step)
        self.drawn = perf_counter()

    def finite(self, value: float, what: str) -> None:
        """Raise TrainingError unless the value is finite."""
        if not math.isfinite(value):
            raise TrainingError(
                f"The {what} is not finite ({value}) after {self.state.step:,} steps.{_kept(self.last)} "
                'Lower the learning rate, set or lower loop.clip, lengthen loop.warm_up, or use precision = "fp32".',
                Step.START_AGAIN(),
            )


def rate(step: int, settings: LoopSettings) -> float:
    """Learning rate of a step, counted from 0, as a share of the peak.

    It rises linearly over the warm-up and peaks in the first step after it. A falling rate would reach 0 one step after
    the last.
    """
    if step < settings.warm_up:
        return (step + 1) / (settings.warm_up + 1)
    if settings.schedule == "constant":
        return 1.0
    done = (step - settings.warm_up) / max(settings.steps - settings.warm_up, 1)
    return 1 - done if settings.schedule == "linear" else (1 + math.cos(math.pi * done)) / 2


def _note_score(state: _State, scores: dict[str, float]) -> bool:
    """Whether the first score is the best so far; NaN never is."""
    if not scores:
        return False
    score = next(iter(scores.values()))
    if not math.isnan(score) and (state.best is None or score > state.best):
        state.best, state.best_step, state.waited = score, state.step, 0
        return True
    state.waited += 1
    return False


def checkpoint_folder(settings: LoopSettings, folder: Path) -> Path:
    """Where the run of `folder` keeps its checkpoints: a folder of the same name if the settings name another place."""
    return folder if settings.checkpoints is None else settings.checkpoints / folder.name


def _kept(last: Path) -> str:
    return f" The previous checkpoint is kept: {last}." if last.exists() else ""


@contextmanager
def _out_of_memory_advice(task: Task, run: _Run) -> Iterator[None]:
    """Where memory runs out, raise TrainingError with the setting to lower."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        # PyTorch has an error class for GPU memory; its CPU allocator raises a plain RuntimeError.
        known = isinstance(error, (MemoryError, torch.OutOfMemoryError))
        if not known and "allocate memory" not in str(error) and "not enough memory" not in str(error):
            raise
        raise TrainingError(
            f"Out of memory after {run.state.step:,} steps. Lower {task.batch_key} in the run file.{_kept(run.last)}",
            Step.START_AGAIN(),
        ) from error
