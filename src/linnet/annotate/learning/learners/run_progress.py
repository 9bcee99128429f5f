"""Reports a training run as the progress of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linnet.annotate.learning.training_data import Progress

if TYPE_CHECKING:
    from linnet.train.metrics import Row

__all__ = ["RunProgress"]


class RunProgress:
    """Listens to a run of `linnet.train.run`. what: "Training the recogniser"; steps: of the whole run."""

    def __init__(self, progress: Progress, what: str, *, steps: int) -> None:
        self._progress, self._what, self._steps = progress, what, steps

    def stepped(self, step: int, loss: float) -> None:
        """Report the share of steps done."""
        self._progress(step / self._steps, f"{self._what}: step {step:,} of {self._steps:,}")

    def evaluated(self, row: Row, *, best: bool) -> None:
        """Ignored: metrics.csv has the scores."""

    def said(self, message: str) -> None:
        """Ignored: there is no terminal."""
