"""Figures of `annotate_speed.py` as Markdown, with their targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kept_tables import keep, kept, write_shown
from measuring import table

__all__ = ["Figure", "replace", "write"]

BEGIN, END = "<!-- annotating: written by benchmarks/annotate_speed.py -->", "<!-- annotating: end -->"
TEMPLATE = """## Annotating

Written by `python benchmarks/annotate_speed.py` on {annotating_run}. The server, the browser and the annotators share the
machine. A save is on disk before it is answered; the target for saves applies to one save a second per annotator.

{annotating_targets}
"""


@dataclass(frozen=True)
class Figure:
    """What was measured. limit: what it is to stay below, None where there is no target."""

    what: str
    got: float
    unit: str
    limit: float | None = None

    @property
    def met(self) -> bool:
        """Whether it stays below its limit, if it has one."""
        return self.limit is None or self.got < self.limit


def write(path: Path, figures: Sequence[Figure], about: str) -> None:
    """Keep all figures, and put those with a target between the marks of a page."""
    _show(path, {"annotating_run": about, "annotating": _table(map(_row, figures))})


def replace(path: Path, beginning: str, figures: Sequence[Figure]) -> None:
    """Put these rows where those that begin with `beginning` are in the table that was kept, and leave the others."""
    lines = kept(path)["annotating"].split("\n")
    old = [number for number, line in enumerate(lines) if line.startswith(f"| {beginning}")]
    place = old[0] if old else len(lines)
    others = [line for number, line in enumerate(lines) if number not in old]
    new = [f"| {' | '.join(_row(one))} |" for one in figures]
    _show(path, {"annotating": "\n".join([*others[:place], *new, *others[place:]])})


def _show(path: Path, tables: Mapping[str, str]) -> None:
    """Keep tables and write what the page shows: the rows with a target."""
    keep(path, tables)
    rows = [line for line in kept(path)["annotating"].split("\n")[2:] if "met" in line.split("|")[-2]]
    measured = _table([cell.strip() for cell in line.strip("|").split(" | ")] for line in rows)
    write_shown(path, BEGIN, END, TEMPLATE, {"annotating_targets": measured})


def _table(rows: Iterable[Sequence[str]]) -> str:
    return table(("", "measured", "target", ""), rows, text=(0, 2, 3))


def _row(one: Figure) -> tuple[str, ...]:
    target = "" if one.limit is None else f"below {one.limit:,.0f} {one.unit}"
    verdict = "" if one.limit is None else "met" if one.met else "**not met**"
    return one.what, f"{_shown(one.got)} {one.unit}", target, verdict


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
