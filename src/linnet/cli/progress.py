"""Messages and progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from time import monotonic
from typing import Any, TypeVar

import typer
from click import get_current_context

from linnet.advice import Note
from linnet.cli.failures import OPTIONS

__all__ = ["Steps", "aligned", "building", "counting", "downloading", "note", "training"]

T = TypeVar("T")
_EVERY, _REDRAWN = 30.0, 0.1  # seconds from one line or redrawn bar to the next


def note(message: str) -> None:
    """Print a message for the person at the terminal; never part of the result."""
    if isinstance(message, Note):
        from linnet.cli.advice import for_command

        context = get_current_context(silent=True)
        message = for_command(message, None if context is None else context.meta.get(OPTIONS))
    typer.echo(message, err=True)


def aligned(rows: Mapping[str, str]) -> str:
    """One indented line for each row, the values in one column."""
    width = max(map(len, rows), default=0)
    return "\n".join(f"  {name:<{width}}  {value}" for name, value in rows.items())


class _Shown:
    """Progress on standard error: a bar for each task on a terminal, elsewhere a line every 30 seconds.

    Each has the share that is done, the rate, and the time left; where the total is unknown, the time taken.
    """

    def __init__(self, bar: Any = None) -> None:
        self._bar, self._rows = bar, dict[str, Any]()
        self._begun = dict[str, tuple[float, int]]()
        self._shown = monotonic()

    def __call__(self, task: str, done: int, total: int | None, unit: float = 1, *, extra: str = "") -> None:
        now = monotonic()
        begun, before = self._begun.setdefault(task, (now, done))
        is_new = self._bar is not None and (task not in self._rows or done == total)
        if now - self._shown < (_EVERY if self._bar is None else _REDRAWN) and not is_new:
            return
        self._shown = now
        said = _described(done / unit, total and total / unit, (done - before) / unit, now - begun) + extra
        if self._bar is None:
            note(f"{task}: {said}")
            return
        if task not in self._rows:
            self._rows[task] = self._bar.add_task(task, total=total, said="")
        self._bar.update(self._rows[task], completed=done, total=total, said=said)

    def notify(self, message: str) -> None:
        """Print a message, above the bar if there is one."""
        if self._bar is None:
            note(message)
        else:
            self._bar.console.print(message, markup=False, highlight=False)


def _described(done: float, total: float | None, fresh: float, seconds: float) -> str:
    """`1,200/4,800 (25 %) · 40/s · 1:30 left`. fresh: what was done in these seconds."""
    rate = fresh / seconds if seconds > 0 else 0.0
    total = total if total and done <= total else None  # an estimate was too low
    parts = [f"{done:,.0f}/{total:,.0f} ({done / total:.0%})".replace("%", " %") if total else f"{done:,.0f}"]
    if rate > 0:
        parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.2g}/s")
    if total and rate > 0:
        parts.append(f"{timedelta(seconds=round((total - done) / rate))} left")
    elif not total:
        parts.append(f"{timedelta(seconds=round(seconds))}")
    return " · ".join(parts)


@contextmanager
def building() -> Iterator[_Shown]:
    """A function of a task's name, how much is done, and of how much (None if unknown)."""
    if not sys.stderr.isatty():
        yield _Shown()
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TextColumn("{task.fields[said]}"),
    )
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Shown(bar)


def counting(
    items: Iterable[T],
    description: str,
    *,
    total: int | None = None,
    size: Callable[[T], int] = lambda item: 1,
) -> Iterator[T]:
    """The items, while they are counted. size: how many one counts for."""
    done = 0
    with building() as advanced:
        advanced(description, 0, total)
        for item in items:
            yield item
            done += size(item)
            advanced(description, done, total)


@contextmanager
def downloading(file: str) -> Iterator[Callable[[int, int | None], None]]:
    """A function of the bytes received and the bytes in all."""
    with building() as advanced:
        yield lambda done, total: advanced(f"{file}, MB", done, total, 1e6)


class Steps:
    """Progress of a training run, with a line for each evaluation."""

    def __init__(self, model: str, steps: int, shown: _Shown) -> None:
        self._model, self._steps, self._shown = model, steps, shown
        self.notify = shown.notify

    def planned(self, steps: int) -> None:
        """Called when the data are read, with the number of steps."""
        self._steps = steps

    def stepped(self, step: int, loss: float) -> None:
        """Called after each step, with the number of steps done and the loss of the last."""
        self._shown(self._model, step, self._steps, extra=f" · loss {loss:.4g}")

    def evaluated(self, row: Mapping[str, float], *, best: bool) -> None:
        """Called after each evaluation, with its row of metrics.csv and whether its weights are the best so far."""
        shown = [f"step {row['step']:,}", f"{row['seconds']:.0f} s"]
        names = [name for name in row if name not in ("step", "seconds", "learning_rate")]
        shown += [f"{name} {row[name]:.4f}" for name in names]
        self.notify(" · ".join(shown) + (" · best" if best else ""))


@contextmanager
def training(model: str, steps: int) -> Iterator[Steps]:
    """What a training run of this number of steps reports to."""
    with building() as shown:
        yield Steps(model, steps, shown)
