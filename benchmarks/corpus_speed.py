"""Linking a large corpus part by part, with one worker and with two, by processes and by Ray, in one run.

    LINNET_DATA=… python benchmarks/corpus_speed.py [--documents 300 | --all] [--terminology bench-out/medic]

Full texts (`text/evidence_inference.jsonl.gz`) and abstracts (`text/pubmedqa.jsonl.gz`) are linked by whole processes,
`linnet link FOLDER …`, and their outputs compared byte by byte. Prints the tables and puts them into docs/scale.md.

    rate     documents or megabytes of text over the seconds from the first part begun to the last one finished
    of a core  documents over the seconds for which a core worked on them, which a busy machine changes little
    start    seconds before that: processes, Ray, opening, looking at the input
    memory   the largest sum of PSS (what is shared is counted once) of the command and all that it started
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import tables
from measuring import data_folder, parser_of, say, table, write_between
from watch import watched

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "scale.md"
BEGIN, END = "<!-- corpus: written by benchmarks/corpus_speed.py -->", "<!-- corpus: end -->"
LINNET = str(Path(sys.executable).with_name("linnet"))
RUNS = (("local", 1), ("local", 2), ("ray", 1), ("ray", 2))
PARTS = 24  # enough to share among a few workers evenly
PUBMED = 37_000_000
NODES, CORES = 10, 16


@dataclass(frozen=True)
class Corpus:
    """A folder of JSON Lines, with what is in it."""

    name: str
    folder: Path
    documents: int
    characters: int


@dataclass(frozen=True)
class Run:
    """What one command took."""

    corpus: Corpus
    engine: str
    workers: int
    seconds: float
    cpu: float
    start: float
    megabytes: float
    mentions: int
    digests: tuple[str, ...]

    @property
    def documents_a_second(self) -> float:
        return self.corpus.documents / self.seconds

    @property
    def megabytes_a_second(self) -> float:
        return self.corpus.characters / 1e6 / self.seconds


def main() -> None:
    options = parser_of(__doc__)
    options.add_argument("--documents", type=int, default=300, help="full texts to link")
    options.add_argument("--all", action="store_true", help="all 4,470 full texts")
    options.add_argument("--terminology", type=Path, default=ROOT / "bench-out" / "medic")
    asked = options.parse_args()
    data = data_folder("text") / "text"
    if not asked.terminology.is_dir():
        sys.exit(
            f"{asked.terminology} is not there. Run: python benchmarks/bench.py --build, or name --terminology."
        )
    machine = tables.machine()
    with tempfile.TemporaryDirectory() as place:
        full = corpus(
            "full texts",
            data / "evidence_inference.jsonl.gz",
            Path(place),
            None if asked.all else asked.documents,
        )
        short = corpus("abstracts", data / "pubmedqa.jsonl.gz", Path(place), None)
        done = [
            link(one, engine, workers, asked.terminology, Path(place))
            for one in (full, short)
            for engine, workers in RUNS
        ]
    for one in (full, short):
        assert len({run.digests for run in done if run.corpus == one}) == 1, "outputs differ"
    text = render(done, machine, asked.terminology)
    print(text)
    write_between(PAGE, BEGIN, END, text)


def corpus(name: str, source: Path, place: Path, documents: int | None) -> Corpus:
    """The first so many documents of a file, in a folder of their own."""
    folder = place / name.replace(" ", "-")
    folder.mkdir()
    count = characters = 0
    with (
        gzip.open(source, "rt", encoding="utf-8") as stream,
        (folder / "corpus.jsonl").open("w", encoding="utf-8") as file,
    ):
        for line in islice(stream, documents):
            record = json.loads(line)
            file.write(json.dumps({"id": record["id"], "text": record["text"]}, ensure_ascii=False) + "\n")
            count, characters = count + 1, characters + len(record["text"])
    return Corpus(name, folder, count, characters)


def link(of: Corpus, engine: str, workers: int, terminology: Path, place: Path) -> Run:
    """Run `linnet link` and watch it."""
    say(f"{of.documents:,} {of.name}, {engine}, {workers}")
    output = place / f"{of.folder.name}-{engine}-{workers}"
    size = of.characters / PARTS / 1e6
    command = [LINNET, "link", of.folder, "-t", terminology, "-o", output, "--jobs", workers, "--engine", engine,
               "--part-size", f"{size:.3f}"]  # fmt: skip
    begun = time.time()
    cost = watched(command, OMP_NUM_THREADS="1")
    notes = [json.loads(line) for line in (output / "_linnet/journal.jsonl").read_text().splitlines()]
    ended = [(output / note["part"]).stat().st_mtime for note in notes]
    first = min(end - note["seconds"] for end, note in zip(ended, notes, strict=True))
    assert sum(note["documents"] for note in notes) == of.documents
    return Run(
        of,
        engine,
        workers,
        max(ended) - first,
        sum(note["cpu"] for note in notes),
        first - begun,
        cost.together,
        sum(note["mentions"] for note in notes),
        tuple(sorted(f"{note['part']} {note['digest']}" for note in notes)),
    )


def render(done: Sequence[Run], machine: str, terminology: Path) -> str:
    """The tables and the estimate."""
    rows = []
    for run in done:
        base = next(one for one in done if one.corpus == run.corpus)
        what = f"{run.corpus.documents:,} {run.corpus.name}", run.engine, run.workers
        rates = (
            f"{run.documents_a_second:.1f}",
            f"{run.megabytes_a_second:.2f}",
            f"{base.seconds / run.seconds:.2f}",
        )
        each = f"{run.corpus.documents / run.cpu:.1f}", f"{run.start:.0f}", f"{run.megabytes:,.0f}"
        rows.append((*what, *rates, *each))
    about = f"{machine}; against `{terminology.name}`, default pipeline. `python benchmarks/corpus_speed.py`."
    rates_head = (
        "documents/s",
        "MB/s",
        "× one local worker",
        "documents/s per core",
        "start, s",
        "memory, MB",
    )
    head = ("corpus", "engine", "workers", *rates_head)
    return f"{about}\n\n{table(head, rows, text=(0, 1))}\n\n{estimate(done)}\n"


def estimate(done: Sequence[Run]) -> str:
    """All of PubMed's abstracts on ten nodes, from what was measured."""
    run = next(run for run in done if (run.corpus.name, run.engine, run.workers) == ("abstracts", "ray", 2))
    count, length = run.corpus.documents, run.corpus.characters / run.corpus.documents
    rate = count / run.cpu
    seconds = PUBMED / (rate * NODES * CORES)
    return (
        f"**Estimate** for {PUBMED / 1e6:.0f} M abstracts of {length:,.0f} characters on {NODES} nodes of {CORES} cores. "
        f"Two workers of Ray linked {count:,} abstracts in {run.cpu:.1f} core seconds: {rate:.1f} abstracts per second "
        f"and core. {PUBMED:,} / ({rate:.1f} × {NODES} × {CORES}) = {seconds:,.0f} s = {seconds / 3600:.1f} hours, or "
        f"{PUBMED / rate / 3600:,.0f} core hours. The first scan adds a hundredth, starting a minute. The "
        "network was not measured, because there was only one machine: it has to bring "
        f"{length * rate * CORES / 1e6:.1f} MB of text a second to each node. The driver records "
        f"{PUBMED * length / 8e6 / seconds:.1f} parts of 8 MB a second."
    )


if __name__ == "__main__":
    main()
