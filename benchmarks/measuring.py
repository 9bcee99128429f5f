"""What the benchmarks share: options, one thread, timing in turns, tables, and pages written between marks.

It imports nothing but the standard library, so that `ONE_THREAD` can be set before numpy is loaded.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

__all__ = [
    "ONE_THREAD", "corpus_options", "data_folder", "in_turns", "outcome", "parser_of", "quantile", "say", "seconds",
    "table", "write_between",
]  # fmt: skip

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""One thread means one: BLAS and OpenMP must not help."""


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Of a script whose docstring is its help."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def corpus_options(parser: argparse.ArgumentParser, *, threads: Sequence[int] = (), rounds: int = 0) -> None:
    """Add the options of a script that links the mentions of corpora; of one that is timed, threads and rounds, too."""
    parser.add_argument("--terminology", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--mentions", type=Path, required=True, action="extend", nargs="+", metavar="FILE", help="any corpus linnet reads"
    )  # fmt: skip
    parser.add_argument("--types", nargs="*", default=[], help="only mentions of these types")
    if threads:
        parser.add_argument("--threads", type=int, nargs="*", default=list(threads))
    if rounds:
        parser.add_argument("--rounds", type=int, default=rounds)


def data_folder(*needed: str) -> Path:
    """What LINNET_DATA names. Ends the program where it lacks one of these folders."""
    data = Path(os.environ.get("LINNET_DATA", ""))
    if not all((data / folder).is_dir() for folder in needed):
        sys.exit(f"Set LINNET_DATA to the folder with {' and '.join(f'{folder}/' for folder in needed)}.")
    return data


def say(message: str) -> None:
    """To standard error, at once."""
    print(message, file=sys.stderr, flush=True)


def outcome(missed: Sequence[str]) -> int:
    """The exit code, after a line on standard error for each limit that is missed."""
    for line in missed:
        say(line)
    return 1 if missed else 0


def seconds(work: Callable[[], object]) -> float:
    """Wall time of some work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turns(works: Mapping[str, Callable[[], Callable[[], object]]], rounds: int) -> dict[str, float]:
    """The fewest seconds of each of several works, which take turns; what makes a work ready for its turn is not timed."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, ready in works.items():
            work = ready()
            gc.collect()
            best[name] = min(best[name], seconds(work))
    return best


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` of them do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, text: Collection[int] = (0,)) -> str:
    """Markdown. text: columns of words; all others are figures, which stand to the right"""
    rule = ("---" if column in text else "---:" for column in range(len(head)))
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    titles = "|".join(f" {title} " if title else " " for title in head)
    return "\n".join([f"|{titles}|", f"|{'|'.join(rule)}|", *lines])


def write_between(path: Path, begin: str, end: str, text: str) -> None:
    """Put lines between two marks of a page, at its end where it has no marks."""
    page = path.read_text(encoding="utf-8")
    block = f"{begin}\n{text.rstrip()}\n{end}"
    if begin not in page:
        page = f"{page.rstrip()}\n\n{begin}\n{end}\n"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    path.write_text(pattern.sub(lambda _: block, page), encoding="utf-8")
