"""Speed of `linnet map` on a column of 100,000 distinct strings: the first proposals, a save, a page of the list.

    python benchmarks/map_speed.py TERMINOLOGY [--strings 100000] [--write docs/performance.md]

Half of the strings are names of the terminology, half have a letter missing (seed 0), frequencies are drawn from a Zipf distribution.
Targets: proposals in at most 180 s on two cores, a save in at most 20 ms, a page in at most 50 ms (medians). Exits with 1 where
one is missed.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from serve_load import _misspelt

from linnet.mapping import Columns, Mapping
from linnet.mapping.browsing import Listing, Order
from linnet.terminology import Terminology

PROPOSALS, SAVE, PAGE = 180.0, 20.0, 50.0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("terminology", type=Path)
    parser.add_argument("--strings", type=int, default=100_000)
    parser.add_argument("--write", type=Path, help="page with the marks <!-- mapping: … -->")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = write_table(Path(folder) / "codes.csv", options.terminology, options.strings)
        began, load = time.perf_counter(), os.getloadavg()[0]
        mapping = Mapping.new(
            table,
            Path(folder) / "map",
            options.terminology,
            columns=Columns(text="label", id="code", frequency="n"),
        )
        took = time.perf_counter() - began
        rng = np.random.default_rng(1)
        numbers = rng.choice(len(mapping), 300, replace=False) + 1
        saves = [milliseconds(lambda n=int(n): mapping.approve([n], by="bench")) for n in numbers]
        listing = Listing(mapping)
        offsets = [0, len(mapping) // 2, len(mapping) - 100]
        pages = [
            milliseconds(lambda o=order, at=offset: listing.page(order=o, offset=at))
            for order in Order
            for offset in offsets
            for _ in range(5)
        ]
        sums = median(milliseconds(lambda: listing.progress()) for _ in range(5))
    rows = [
        (f"{len(mapping):,} strings, first proposals, s", took, PROPOSALS),
        ("a decision saved, ms, median", median(saves), SAVE),
        ("50 rows of the list, any order, ms, median", median(pages), PAGE),
        ("what is covered, ms, median", sums, PAGE),
    ]
    lines = [
        f"`benchmarks/map_speed.py` against {options.terminology.name}, {os.cpu_count()} cores, load {load:.1f} at the start.\n",
        "| | measured | target | |",
        "|---|---:|---|---|",
        *(
            f"| {what} | {value:,.1f} | at most {most:g} | {'met' if value <= most else '**not met**'} |"
            for what, value, most in rows
        ),
    ]
    print("\n".join(lines))
    if options.write:
        text = options.write.read_text(encoding="utf-8")
        marked = re.compile(r"(<!-- mapping: .*? -->\n).*?(<!-- mapping: end -->)", re.DOTALL)
        written = marked.sub(lambda match: f"{match[1]}" + "\n".join(lines) + f"\n{match[2]}", text)
        options.write.write_text(written, encoding="utf-8")
    return int(any(value > most for _, value, most in rows))


def write_table(path: Path, terminology: Path, count: int) -> Path:
    names = Terminology.open(terminology).names
    rng = np.random.default_rng(0)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["code", "label", "n"])
        for number, row in enumerate(rng.permutation(len(names))[:count]):
            name = names[int(row)]
            text = _misspelt(name, rng) if number % 2 else name
            writer.writerow([f"C{number}", text, int(min(rng.zipf(1.5), 10_000))])
    return path


def milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


if __name__ == "__main__":
    sys.exit(main())
