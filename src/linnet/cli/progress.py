"""Messages and progress on standard error: bars on a terminal, nothing when it is piped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import typer

__all__ = ["Steps", "aligned", "building", "counting", "downloading", "note", "training"]

T = TypeVar("T")


def note(message: str) -> None:
    """Say something to the person at the terminal; never part of the result."""
    typer.echo(message, err=True)


def aligned(rows: Mapping[str, str]) -> str:
    """One indented line for each row, the values in one column."""
    width = max(map(len, rows), default=0)
    return "\n".join(f"  {name:<{width}}  {value}" for name, value in rows.items())


def counting(items: Iterable[T], what: str, *, total: int | None = None) -> Iterator[T]:
    """The items, while a bar on the terminal shows how many there were."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(items, total=total, description=what)


@contextmanager
def building() -> Iterator[Callable[[str, int, int], None]]:
    """A function to be told what is being done, how much of it is done, and of how much; each thing has a bar of its own."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    rows: dict[str, Any] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def advanced(what: str, done: int, total: int) -> None:
            if what not in rows:
                rows[what] = bar.add_task(what, total=total)
            bar.update(rows[what], completed=done, total=total)

        yield advanced


@contextmanager
def downloading(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """A function to be told the bytes there are and the bytes there will be."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class Steps:
    """Shows how training goes: a line for each evaluation, and on a terminal a bar that moves with each step."""

    def __init__(self, bar: Any = None, row: Any = None) -> None:
        self._bar, self._row = bar, row

    def stepped(self, step: int, loss: float) -> None:
        """So many steps are done; the loss of the last one."""
        if self._bar is not None:
            self._bar.update(self._row, completed=step, loss=f"loss {loss:.4g}")

    def evaluated(self, row: Mapping[str, float], *, best: bool) -> None:
        """A row of metrics.csv, and whether its weights are the best so far."""
        shown = [f"step {row['step']:,}", f"{row['seconds']:.0f} s"]
        names = [name for name in row if name not in ("step", "seconds", "learning_rate")]
        shown += [f"{name} {row[name]:.4f}" for name in names]
        self.notify(" · ".join(shown) + (" · best" if best else ""))

    def notify(self, message: str) -> None:
        """Something a person should know."""
        if self._bar is None:
            note(message)
        else:
            self._bar.console.print(message, markup=False, highlight=False)


@contextmanager
def training(what: str, steps: int) -> Iterator[Steps]:
    """What a training run tells of itself; a bar up to so many steps where there is a terminal."""
    if not sys.stderr.isatty():
        yield Steps()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[loss]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Steps(bar, bar.add_task(what, total=steps, loss=""))
