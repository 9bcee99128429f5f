"""Figures of `annotate_speed.py` as Markdown, with their targets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Figure", "write"]

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
    """Put the table between its marks, at the end of the file where they are missing."""
    text = path.read_text(encoding="utf-8")
    if BEGIN not in text:
        text = f"{text.rstrip()}\n\n{BEGIN}\n{END}\n"
    block = f"{BEGIN}\n{_render(figures, about)}{END}"
    path.write_text(
        re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: block, text, flags=re.DOTALL),
        encoding="utf-8",
    )


def _render(figures: Sequence[Figure], about: str) -> str:
    rows = [
        f"| {one.what} | {_shown(one.got)} {one.unit} | {f'below {one.limit:,.0f} {one.unit}' if one.limit is not None else ''} | "
        f"{'' if one.limit is None else 'met' if one.met else '**not met**'} |"
        for one in figures
    ]
    return (
        "## Annotating\n\n"
        f"Written by `python benchmarks/annotate_speed.py` on {about}. The server, the browser and the annotators share the "
        "machine. Saves are made by requests as the page sends them, each by an annotator with an open event stream; a save is on "
        "disk before it is answered. The target for saves is read at one save a second each.\n\n"
        + "\n".join(["| | measured | target | |", "|---|---:|---|---|", *rows])
        + "\n"
    )


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
