"""Messages and progress on standard error: bars on a terminal, none if it is piped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import typer

__all__ = ["Steps", "aligned", "building", "counting", "downloading", "note", "training"]

T = TypeVar("T")


def note(message: str) -> None:
    """Print a message for the person at the terminal; never part of the result."""
    typer.echo(message, err=True)


def aligned(rows: Mapping[str, str]) -> str:
    """One indented line for each row, the values in one column."""
    width = max(map(len, rows), default=0)
    return "\n".join(f"  {name:<{width}}  {value}" for name, value in rows.items())


def _bar(*columns: str) -> Any:
    """A progress bar on standard error, removed when it is done. columns: classes of `rich.progress`, or text."""
    from rich import progress
    from rich.console import Console

    shown = (getattr(progress, column, None) for column in columns)
    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        *(made() if made else progress.TextColumn(text) for made, text in zip(shown, columns, strict=True)),
        console=Console(stderr=True),
        transient=True,
    )


def counting(items: Iterable[T], description: str, *, total: int | None = None) -> Iterator[T]:
    """The items, while a bar on the terminal counts them."""
    if not sys.stderr.isatty():
        yield from items
        return
    with _bar("MofNCompleteColumn", "TimeElapsedColumn") as bar:
        yield from bar.track(items, total=total, description=description)


@contextmanager
def building() -> Iterator[Callable[[str, int, int], None]]:
    """A function of a task's name, how much is done, and of how much; each task has its own bar."""
    if not sys.stderr.isatty():
        yield lambda task, done, total: None
        return
    rows: dict[str, Any] = {}
    with _bar("MofNCompleteColumn", "TimeRemainingColumn") as bar:

        def advanced(task: str, done: int, total: int) -> None:
            if task not in rows:
                rows[task] = bar.add_task(task, total=total)
            bar.update(rows[task], completed=done, total=total)

        yield advanced


@contextmanager
def downloading(file: str) -> Iterator[Callable[[int, int | None], None]]:
    """A function of the bytes received and the bytes in all."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with _bar("DownloadColumn", "TransferSpeedColumn") as bar:
        row = bar.add_task(file, total=None)
        yield lambda done, total: bar.update(row, completed=done, total=total)


class Steps:
    """Progress of a training run: a line for each evaluation, and on a terminal a bar of steps."""

    def __init__(self, bar: Any = None, row: Any = None) -> None:
        self._bar, self._row = bar, row

    def planned(self, steps: int) -> None:
        """Called when the data are read, with the number of steps."""
        if self._bar is not None:
            self._bar.update(self._row, total=steps)

    def stepped(self, step: int, loss: float) -> None:
        """Called after each step, with the number of steps done and the loss of the last."""
        if self._bar is not None:
            self._bar.update(self._row, completed=step, loss=f"loss {loss:.4g}")

    def evaluated(self, row: Mapping[str, float], *, best: bool) -> None:
        """Called after each evaluation, with its row of metrics.csv and whether its weights are the best so far."""
        shown = [f"step {row['step']:,}", f"{row['seconds']:.0f} s"]
        names = [name for name in row if name not in ("step", "seconds", "learning_rate")]
        shown += [f"{name} {row[name]:.4f}" for name in names]
        self.notify(" · ".join(shown) + (" · best" if best else ""))

    def notify(self, message: str) -> None:
        """Print a message above the bar."""
        if self._bar is None:
            note(message)
        else:
            self._bar.console.print(message, markup=False, highlight=False)


@contextmanager
def training(model: str, steps: int) -> Iterator[Steps]:
    """What a training run reports to; on a terminal with a bar up to this number of steps."""
    if not sys.stderr.isatty():
        yield Steps()
        return
    with _bar("MofNCompleteColumn", "{task.fields[loss]}", "TimeRemainingColumn") as bar:
        yield Steps(bar, bar.add_task(model, total=steps, loss=""))
