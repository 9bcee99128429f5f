"""Abstracts a second of the recognisers, and the processor time each takes, in one run, in turns.

    LINNET_DATA=… python benchmarks/recogniser_speed.py [--terminology bench-out/medic] [--before OTHER/src] [--rounds 5]

The abstracts of BC5CDR dev are recognised by a process of its own each time: what a recogniser keeps of a text would
help it the second time. Opening is left out. Rounds alternate and the best of each counts.

    recogniser  the trained one that is shipped
    dictionary  the names of --terminology, where that is given        combined  both, the default of `linnet link`
    as it is    BLAS may use all cores outside linnet's own limit
    one thread  BLAS and OpenMP are told to use one

--before compares with the sources of another commit, `git worktree add ../before COMMIT` for example, and says in how many
documents the mentions differ. Exits with 1 where the trained recogniser takes fewer abstracts than `--at-least` a processor
second on one thread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from measuring import ONE_THREAD, data_folder, outcome, parser_of, table

SOURCES = Path(__file__).parents[1] / "src"
CORPUS = "corpora/bc5cdr/CDR_DevelopmentSet.PubTator.txt"
THREADS: dict[str, dict[str, str]] = {"as it is": {}, "one thread": ONE_THREAD}
# Run by each process; prints seconds, processor seconds, and what was found.
RECOGNISE = """
import json, sys, time
from linnet import corpora
from linnet.link import Linker
from linnet.recognise import open_recogniser
kind, terminology, corpus = sys.argv[1:]
names = Linker.open([terminology]).group.names() if kind != "recogniser" else []
recogniser = open_recogniser(kind, names)
documents = list(corpora.read(corpus))
recogniser.recognise(documents[:1])
wall, processor = time.perf_counter(), time.process_time()
found = recogniser.recognise(documents)
wall, processor = time.perf_counter() - wall, time.process_time() - processor
mentions = [[[m.start, m.end, m.type, m.confidence] for m in document.mentions] for document in found]
print(json.dumps([wall, processor, mentions]))
"""


@dataclass
class Case:
    """A recogniser of some sources with some threads, and its best figures so far."""

    version: str
    sources: Path
    recogniser: str
    threads: str
    seconds: float = float("inf")
    processor: float = float("inf")
    mentions: list[list[list[object]]] | None = None

    def run(self, terminology: Path | None, corpus: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
        environment |= {**THREADS[self.threads], "PYTHONPATH": str(self.sources)}
        command = [sys.executable, "-c", RECOGNISE, self.recogniser, str(terminology or ""), str(corpus)]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        seconds, processor, self.mentions = json.loads(done.stdout)
        self.seconds, self.processor = min(self.seconds, seconds), min(self.processor, processor)


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--terminology", type=Path, metavar="DIR", help="for the dictionary recogniser")
    parser.add_argument("--before", type=Path, metavar="SRC", help="sources to compare with")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--at-least", type=float, default=60.0, help="abstracts (default 60)")
    options = parser.parse_args()
    corpus = data_folder("corpora") / CORPUS
    versions = {"before": options.before, "now": SOURCES} if options.before else {"now": SOURCES}
    kinds = ("recogniser", "dictionary", "combined") if options.terminology else ("recogniser",)
    cases = [
        Case(version, sources, kind, threads)
        for kind in kinds
        for threads in THREADS
        for version, sources in versions.items()
    ]
    started = time.perf_counter()
    for _ in range(options.rounds):
        for case in cases:
            case.run(options.terminology, corpus)
    rows = []
    for case in cases:
        rates = (f"{len(case.mentions or []) / took:,.1f}" for took in (case.seconds, case.processor))
        rows.append((case.recogniser, case.threads, case.version, *rates))
    head = ("recogniser", "threads", "version", "abstracts/s", "abstracts a processor second")
    print(table(head, rows, text=(0, 1, 2)))
    for before, now in zip(cases[::2], cases[1::2], strict=True) if options.before else ():
        pairs = list(zip(before.mentions or [], now.mentions or [], strict=True))
        print(
            f"{now.recogniser}, {now.threads}: {before.processor / now.processor:.2f} times the abstracts a processor second; "
            f"mentions differ in {sum(old != new for old, new in pairs)} of {len(pairs)} documents"
        )
    by_kind = {
        case.recogniser: case for case in cases if (case.version, case.threads) == ("now", "one thread")
    }
    if "combined" in by_kind:
        ratio = by_kind["combined"].processor / by_kind["dictionary"].processor
        print(f"combined, one thread: {ratio:.2f} times the processor time of the dictionary alone")
    print(f"{time.perf_counter() - started:.0f} s")
    ours = next(
        case
        for case in cases
        if (case.version, case.recogniser, case.threads) == ("now", "recogniser", "one thread")
    )
    reached = len(ours.mentions or []) / ours.processor
    missed = f"{reached:.1f} abstracts a processor second; expected {options.at_least:g}"
    return outcome([missed] if reached < options.at_least else [])


if __name__ == "__main__":
    sys.exit(main())
