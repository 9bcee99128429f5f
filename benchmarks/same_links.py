"""Whether a change leaves links as they are: the links of the dev sets in a file, and a comparison of two such files.

    LINNET_DATA=… python benchmarks/same_links.py write before.jsonl.gz [--terminologies bench-out]
    LINNET_DATA=… python benchmarks/same_links.py write after.jsonl.gz  [--terminologies bench-out]
    python benchmarks/same_links.py compare before.jsonl.gz after.jsonl.gz

Links come from `linnet link` of whatever linnet `python` imports, so that one copy of this script serves all versions of it.
Terminologies and indexes are built where they are missing, and are then the same for both: give each version a folder of its
own to compare what they build, too. `compare` exits with 1 when anything differs. `--sets NAME…` does a part.
"""

from __future__ import annotations

import gzip
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measuring import data_folder, parser_of

ROOT = Path(__file__).parents[1]
ABSTRACTS = 100
EXAMPLES = 3
NCBI = "corpora/ncbi-disease/NCBIdevelopset_corpus.txt"
BC5CDR = "corpora/bc5cdr/CDR_DevelopmentSet.PubTator.txt"
SOURCES = {
    "medic": ["terminologies/medic/medic_06Jul2012.txt"],
    "chemicals": [f"terminologies/mesh2024/{part}2024.rebuilt.xml.gz" for part in ("desc", "supp")],
}
INDEXES = "exact,char,word,sparse,bm25,dense"


@dataclass(frozen=True)
class Linking:
    """Input in `LINNET_DATA`, terminology, and further arguments of `linnet link`."""

    input: str
    terminology: str
    arguments: tuple[str, ...] = ()
    texts: bool = False
    """Whether mentions are to be recognised in the input's texts."""


DISEASES = ("--mentions", "--types", "Disease")
CHEMICALS = ("--mentions", "--types", "Chemical")
ALONE = ("--reranker", "none")
SETS = {
    "NCBI": Linking(NCBI, "medic", ("--mentions",)),
    "BC5CDR diseases": Linking(BC5CDR, "medic", DISEASES),
    "BC5CDR chemicals": Linking(BC5CDR, "chemicals", CHEMICALS),
    "NCBI, no reranker": Linking(NCBI, "medic", ("--mentions", *ALONE)),
    "BC5CDR diseases, no reranker": Linking(BC5CDR, "medic", (*DISEASES, *ALONE)),
    **{
        f"NCBI, {name}": Linking(NCBI, "medic", ("--mentions", "--retriever", name, *ALONE))
        for name in ("exact", "char", "word", "sparse", "bm25", "dense", "exact,sparse,bm25,dense")
    },
    "NCBI, hnsw": Linking(NCBI, "medic-hnsw", ("--mentions", "--retriever", "dense", *ALONE)),
    "NCBI, two terminologies": Linking(NCBI, "medic chemicals", ("--mentions",)),
    "abstracts": Linking(NCBI, "medic", texts=True),
    "abstracts, trained recogniser": Linking(NCBI, "medic chemicals", ("--recogniser", "recogniser"), texts=True),
}  # fmt: skip


def main() -> int:
    parser = parser_of(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", help="link the dev sets and write what comes out")
    writing.add_argument("output", type=Path)
    writing.add_argument("--terminologies", type=Path, default=ROOT / "bench-out")
    writing.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    comparing = commands.add_parser("compare", help="say what differs between two such files")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.command == "compare":
        return compare(options.before, options.after)
    write(options.output, data_folder("corpora", "terminologies"), options.terminologies, options.sets)
    return 0


def write(output: Path, data: Path, terminologies: Path, sets: list[str]) -> None:
    """Link `sets` and write a line for each mention or document: the set, its id, and its record."""
    build(data, terminologies, sets)
    with gzip.open(output, "wt", encoding="utf-8", compresslevel=4) as stream:
        for name in sets:
            started = time.perf_counter()
            for id, record in links(SETS[name], data, terminologies):
                stream.write(json.dumps([name, id, record], ensure_ascii=False) + "\n")
            print(f"{name}: linked in {time.perf_counter() - started:.0f} s", file=sys.stderr)


def build(data: Path, place: Path, sets: list[str]) -> None:
    """The terminologies of the sets with all indexes, where they are not there yet."""
    wanted = {name for chosen in sets for name in SETS[chosen].terminology.split()}
    for name, sources in SOURCES.items():
        if not wanted & {name, f"{name}-hnsw"} or (place / name / "index" / "dense" / "index.json").exists():
            continue
        linnet("terminology", "build", *(str(data / source) for source in sources), "-o", str(place / name))
        linnet("index", str(place / name), "--retriever", INDEXES)
    hnsw = place / "medic-hnsw"
    if "medic-hnsw" in wanted and not hnsw.exists():
        shutil.copytree(place / "medic", hnsw, ignore=shutil.ignore_patterns("dense"))
        linnet("index", str(hnsw), "--retriever", INDEXES, "--dense", "hnsw", "--update")


def links(linking: Linking, data: Path, terminologies: Path) -> Iterator[tuple[str, Any]]:
    """(id, record) of each mention, or of each document where mentions were recognised."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = data / linking.input, Path(folder) / "links.jsonl"
        arguments = [*linking.arguments, "--k", "64", "-o", str(target)]
        if linking.texts:
            source = texts(source, Path(folder) / "texts.jsonl")
        else:
            arguments += ["--format", "mentions"]
        places = [str(terminologies / name) for name in linking.terminology.split()]
        linnet("link", str(source), "-t", *places, *arguments)
        with target.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                record = json.loads(line)
                yield f"{number}:{record.get('id', '')}", record


def texts(corpus: Path, target: Path) -> Path:
    """The first abstracts of a corpus in the PubTator format, without their annotations."""
    found: dict[str, list[str]] = {}
    with corpus.open(encoding="utf-8") as lines:
        for line in lines:
            id, mark, text = [*line.rstrip("\n").split("|", 2), "", ""][:3]
            if mark in ("t", "a"):
                found.setdefault(id, []).append(text)
    records = (
        {"id": id, "text": " ".join(parts)} for id, parts in itertools.islice(found.items(), ABSTRACTS)
    )
    target.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return target


def linnet(*arguments: str) -> None:
    """Run a command; end with what it says where it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "linnet", *arguments], stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"linnet {' '.join(arguments)}\n{done.stderr}")


def compare(before: Path, after: Path) -> int:
    """Print how many records of each set differ and in what; 1 where any does, else 0."""
    old, new = read(before), read(after)
    different = 0
    for name in [*old, *(name for name in new if name not in old)]:
        mine, theirs = old.get(name, {}), new.get(name, {})
        shared = mine.keys() & theirs.keys()
        fields = {id: differing(mine[id], theirs[id]) for id in mine if id in shared}
        fields = {id: parts for id, parts in fields.items() if parts}
        alone = (len(mine) - len(shared), len(theirs) - len(shared))
        different += len(fields) + sum(alone)
        print(f"{name}: {len(shared):,} records in both, {len(fields):,} differ")
        if any(alone):
            print(f"  only before: {alone[0]:,}, only after: {alone[1]:,}")
        for field, count in Counter(part for parts in fields.values() for part in set(parts)).most_common():
            print(f"  {field}: {count:,}")
        for id in list(fields)[:EXAMPLES]:
            for field, (was, now) in itertools.islice(fields[id].items(), EXAMPLES):
                print(f"  e.g. {id} {field}: {str(was)[:150]} → {str(now)[:150]}")
    print("identical" if not different else f"{different:,} records differ")
    return 1 if different else 0


def read(file: Path) -> dict[str, dict[str, Any]]:
    """Set → id → record."""
    found: dict[str, dict[str, Any]] = {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            name, id, record = json.loads(line)
            found.setdefault(name, {})[id] = record
    return found


def differing(was: Any, now: Any, field: str = "") -> dict[str, tuple[Any, Any]]:
    """Field → both values, for each field in which two records differ; of lists of another length, the lists."""
    if was == now:
        return {}
    if isinstance(was, dict) and isinstance(now, dict):
        pairs = [(f"{field}.{key}".lstrip("."), was.get(key), now.get(key)) for key in {**was, **now}]
    elif (
        isinstance(was, list) and isinstance(now, list) and len(was) == len(now) and isinstance(was[0], dict)
    ):
        pairs = [(field, *pair) for pair in zip(was, now, strict=True)]
    else:
        return {field: (was, now)}
    found: dict[str, tuple[Any, Any]] = {}
    for place, *values in pairs:
        for name, both in differing(*values, place).items():
            found.setdefault(name, both)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
