"""Training runs of learners: resumed after an interruption, and reported as the progress of a job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from linnet.active.training_data import Progress

if TYPE_CHECKING:
    from linnet.train.metrics import Row

__all__ = ["train_run"]


def train_run(folder: Path, name: str, text: str, *, progress: Progress, what: str, steps: int) -> None:
    """Write the run file NAME.toml and run it, from its last checkpoint if there is one. Its output is NAME-draft."""
    from linnet.train.run import run

    run_file, draft = folder / f"{name}.toml", folder / f"{name}-draft"
    run_file.write_text(text, encoding="utf-8")
    begun = (folder / f"{draft.name}.run" / "last.safetensors").exists() and not draft.exists()
    run(run_file, resume=begun, overwrite=not begun, progress=_RunProgress(progress, what, steps=steps))


class _RunProgress:
    """Listens to a run of `linnet.train.run`. what: "Training the recogniser"; steps: of the whole run."""

    def __init__(self, progress: Progress, what: str, *, steps: int) -> None:
        self._progress, self._what, self._steps = progress, what, steps

    def planned(self, steps: int) -> None:
        """How many steps it will have."""
        self._steps = steps

    def stepped(self, step: int, loss: float) -> None:
        """Report the share of steps done."""
        self._progress(step / self._steps, f"{self._what}: step {step:,} of {self._steps:,}")

    def evaluated(self, row: Row, *, best: bool) -> None:
        """Ignored: metrics.csv has the scores."""

    def notify(self, message: str) -> None:
        """Ignored: there is no terminal."""
