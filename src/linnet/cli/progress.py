"""Messages and progress on standard error: bars on a terminal, nothing when it is piped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import typer

__all__ = ["aligned", "counting", "downloading", "note"]

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
