"""`linnet train`: a model from a run file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["train"]


def train(
    run_file: Annotated[
        Path, typer.Argument(help="Run file (TOML): the task, its data and its settings.", metavar="RUN.toml")
    ],
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted run from its last checkpoint.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing model or run.")] = False,
) -> None:
    """Train the model that a run file describes.

    Writes the model to the `output` of the run file, and checkpoints, metrics.csv, metrics.png, the settings and their
    provenance to OUTPUT.run/ beside it. Ctrl-C saves a checkpoint and stops.

    Examples:
      linnet train run.toml
      linnet train run.toml --resume
    """
    from linnet.cli.failures import INTERRUPTED, TERMINATED, needs_extra
    from linnet.cli.progress import aligned, note, training

    with needs_extra("Training", "train"):
        from linnet.train.run import folder_of, read_run, run

        settings, _ = read_run(run_file)
    with training(settings.output.name, settings.loop.steps) as progress:
        outcome = run(run_file, resume=resume, overwrite=overwrite, progress=progress)
    trained = outcome.trained
    if trained.ending in ("interrupted", "terminated"):
        note(
            f"Stopped after step {trained.step:,} of {outcome.settings.loop.steps:,}; a checkpoint is saved. "
            f"Continue with: linnet train {run_file} --resume"
        )
        raise typer.Exit(INTERRUPTED if trained.ending == "interrupted" else TERMINATED)
    early = (
        f" (no better score in {settings.loop.patience} evaluations)" if trained.ending == "patience" else ""
    )
    note(f"{settings.output} is ready after {trained.step:,} steps and {trained.seconds:.0f} s{early}.")
    if trained.scores:
        scores = {name: f"{value:.4f}" for name, value in trained.scores.items()}
        note(f"Its weights are those of step {trained.best_step:,}:\n{aligned(scores)}")
    note(f"Metrics and settings: {folder_of(settings)}")
