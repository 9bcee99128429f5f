"""What several commands show of a mapping."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from linnet.cli.progress import building

if TYPE_CHECKING:
    from linnet.mapping import Mapping
    from linnet.mapping.proposing import Progress
    from linnet.mapping.report import Share

__all__ = ["coverage", "proposing", "share"]


@contextmanager
def proposing() -> Iterator[Progress]:
    """Progress over the rows that are linked."""
    with building() as shown:

        def progress(done: int, total: int) -> None:
            if total:
                shown("strings", done, total)

        yield progress


def coverage(mapping: Mapping) -> str:
    """`Mapped: 12.0 % of strings, 83.1 % of records.`"""
    strings, records = mapping.report().covered()
    return f"Mapped: {100 * strings:.1f} % of strings, {100 * records:.1f} % of records."


def share(of: Share) -> str:
    """`91.2 % (88.0 to 93.6; 412 strings)`."""
    strings = "string" if of.total == 1 else "strings"
    return f"{100 * of.share:.1f} % ({100 * of.low:.1f} to {100 * of.high:.1f}; {of.total:,} {strings})"
