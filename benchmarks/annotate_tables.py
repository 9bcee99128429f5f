"""Figures of `annotate_speed.py` as Markdown, with their targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring import table, write_between

__all__ = ["Figure", "replace", "write"]

BEGIN, END = "<!-- annotating: written by benchmarks/annotate_speed.py -->", "<!-- annotating: end -->"


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
    """Put the table between its marks, at the end of the page where they are missing."""
    write_between(path, BEGIN, END, _render(figures, about))


def replace(path: Path, beginning: str, figures: Sequence[Figure]) -> None:
    """Put these lines where those that begin with `beginning` are in the table, and leave the others."""
    lines = path.read_text(encoding="utf-8").split("\n")
    block = range(lines.index(BEGIN), lines.index(END))
    old = [number for number in block if lines[number].startswith(f"| {beginning}")]
    place = old[0] if old else lines.index(END)
    kept = [line for number, line in enumerate(lines[place:], start=place) if number not in old]
    path.write_text(
        "\n".join([*lines[:place], *(f"| {' | '.join(_row(one))} |" for one in figures), *kept]),
        encoding="utf-8",
    )


def _render(figures: Sequence[Figure], about: str) -> str:
    return (
        "## Annotating\n\n"
        f"Written by `python benchmarks/annotate_speed.py` on {about}. The server, the browser and the annotators share the "
        "machine. Saves are requests like those that the page sends, each by an annotator with an open page; a save is on "
        "disk before it is answered. The target for saves applies to one save a second per annotator.\n\n"
        + table(("", "measured", "target", ""), map(_row, figures), text=(0, 2, 3))
    )


def _row(one: Figure) -> tuple[str, ...]:
    target = "" if one.limit is None else f"below {one.limit:,.0f} {one.unit}"
    verdict = "" if one.limit is None else "met" if one.met else "**not met**"
    return one.what, f"{_shown(one.got)} {one.unit}", target, verdict


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
