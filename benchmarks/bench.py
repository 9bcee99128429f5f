"""`make bench`: accuracy and speed of linnet and of other programs, in one run on one machine; the targets checked.

    LINNET_DATA=… python benchmarks/bench.py [--build]

Everything is built and kept in bench-out/. Writes bench-out/bench.json and the tables of docs/performance.md.
Exits with 1 when a target is missed. --build stops where the terminologies and their indexes are there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from measuring import ONE_THREAD, data_folder, say, seconds

os.environ |= ONE_THREAD

import processes
import tables

from linnet import corpora
from linnet.evaluate import System, ask, augmented_linker, evaluate_system, gold_mentions
from linnet.evaluate.gold import Predicted, homonyms
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes, build_name_features
from linnet.read.abbreviations import expanded_texts
from linnet.retrieve import open_retriever
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.readers import read as read_concepts
from linnet.terminology.readers import read_several
from linnet.types import Document, Mention
from linnet.words.text import simplify

ROOT = Path(__file__).parents[1]
OUT = ROOT / "bench-out"
K = 64
THREADS = (1, 2)
RETRIEVERS = ("exact", "char", "word", "sparse", "bm25", "dense")
DEFAULT = tables.DEFAULT
# What links end to end: nothing learnt, without and with the glossary; the encoder, which has seen no annotation of these
# corpora; the reranker too, with and without its counts of the training mentions of these corpora.
LINKERS = {
    tables.UNTRAINED: Pipeline(retrievers=("exact", "sparse"), reranker=None, glossary=False),
    tables.GLOSSED: Pipeline(retrievers=("exact", "sparse"), reranker=None),
    tables.ENCODER: Pipeline(reranker=None),
    DEFAULT: Pipeline(),
    tables.FORGETFUL: Pipeline(memory=False),
}
COMPARED = 200_000_000  # names × texts; above this rapidfuzz takes minutes and is left out


@dataclass(frozen=True)
class Task:
    """A dev set and its training set, against a terminology."""

    name: str
    dev: str
    train: str
    terminology: str
    types: tuple[str, ...] = ()


BC5 = "corpora/bc5cdr/CDR_{}Set.PubTator.txt"
TASKS = (
    Task("NCBI", "corpora/ncbi-disease/NCBIdevelopset_corpus.txt",
         "corpora/ncbi-disease/NCBItrainset_corpus.txt", "medic"),
    Task("BC5CDR-disease", BC5.format("Development"), BC5.format("Training"), "medic", ("Disease",)),
    Task("BC5CDR-chemical", BC5.format("Development"), BC5.format("Training"), "chemicals", ("Chemical",)),
)  # fmt: skip


GATES = {
    "a link where the same text looks different": "invariance.py",
    "names in one string": "listed_names.py",
    "things of other kinds": "other_kinds.py",
}


def main() -> int:
    data = data_folder("corpora", "terminologies")
    OUT.mkdir(exist_ok=True)
    if "--build" in sys.argv[1:]:
        build(data)
        return 0
    started = time.perf_counter()
    figures: dict[str, Any] = {"machine": tables.machine(), "tasks": {}}
    figures["processes"] = process_figures(data)
    build(data)
    peers = peers_python()
    for task in TASKS:
        say(f"{task.name} against {task.terminology}")
        figures["tasks"][task.name] = measure(task, data, peers)
    say("character n-grams beside scikit-learn at equal recall")
    diseases = [task.dev for task in TASKS[:2]]
    figures["sparse"] = beside("sparse_speed.py", "medic", data, diseases, peers)
    say("the whole linker beside scikit-learn")
    figures["linking"] = {
        task.name: beside("linking_speed.py", task.terminology, data, [task.dev], peers, *task.types)
        for task in TASKS
    }
    say("what must not change a link, be lost from a list, or be taken for a disease")
    figures["gates"] = {what: gate(script) for what, script in GATES.items()}
    figures["minutes"] = round((time.perf_counter() - started) / 60, 1)
    (OUT / "bench.json").write_text(
        json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    tables.write(ROOT / "docs" / "performance.md", figures)
    checked = tables.targets(figures)
    for line in checked:
        print(f"{'met    ' if line.met else 'NOT MET'}  {line.what}: {line.got} ({line.wanted})")
    return 0 if all(line.met for line in checked) else 1


def process_figures(data: Path) -> dict[str, float]:
    mesh, folder = OUT / "mesh", data / "terminologies/mesh2024"
    say("building and indexing MeSH")
    building = processes.timed(
        "terminology", "build", folder / "desc2024.rebuilt.xml.gz", folder / "supp2024.rebuilt.xml.gz", "-o", mesh
    ) + processes.timed("index", mesh)  # fmt: skip
    abstract = OUT / "abstract.txt"
    abstract.write_text(next(corpora.read(data / TASKS[0].dev)).text, encoding="utf-8")
    name = OUT / "name.txt"
    name.write_text("heart attack\n", encoding="utf-8")
    say("whole processes")
    importing, torch = processes.import_seconds()
    return {
        "import linnet, s": importing,
        "loads torch": float(torch),
        "opening MeSH, s": processes.open_seconds(mesh),
        "linnet link of one name, s of processor": processes.name_processor_seconds(name, mesh),
        "linker.link of one cached name, ms": processes.cached_name_milliseconds(mesh),
        "linnet link of one abstract, s": processes.link_seconds(abstract, mesh),
        "finding and linking, BC5CDR dev, × sentence splitting by syntok": processes.running_text_times_syntok(
            data / TASKS[1].dev, mesh
        ),
        "peak memory, BC5CDR dev, MB": processes.peak_megabytes(data / TASKS[1].dev, mesh),
        "building and indexing MeSH, s": building,
    }


def build(data: Path) -> None:
    """bench-out/medic and bench-out/chemicals with every index; both as `linnet terminology build SOURCE… -o DIR` builds them."""
    say("building MEDIC 2012 and MeSH for chemicals, all indexes")
    medic = write_terminology(
        read_concepts(data / "terminologies/medic/medic_06Jul2012.txt", format="medic"), OUT / "medic"
    )
    mesh = [data / "terminologies/mesh2024" / f"{part}2024.rebuilt.xml.gz" for part in ("desc", "supp")]
    chemicals = write_terminology(read_several(mesh, formats=("mesh", "mesh")), OUT / "chemicals")
    for terminology in (medic, chemicals):
        build_indexes(terminology, RETRIEVERS)
        build_name_features(terminology, Pipeline())


def peers_python() -> Path:
    """Python of an environment with the peers, made where it is missing."""
    place = OUT / "peers-venv"
    python, done = place / "bin/python", place / ".done"
    if not done.exists():
        say("installing the peers")
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        wanted = (ROOT / "benchmarks/peers.txt").read_text(encoding="utf-8").split()
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--editable", ROOT, *wanted], check=True)
        done.touch()
    return python


def measure(task: Task, data: Path, peers: Path) -> dict[str, Any]:
    """Per system: accuracies and recall in per cent, mentions/s by threads."""
    documents = list(corpora.read(data / task.dev))
    train = list(corpora.read(data / task.train))
    mentions = list(gold_mentions(documents, types=task.types))
    terminology = Terminology.open(OUT / task.terminology)
    expanded = expanded_texts(mentions)
    texts = sorted(set(expanded))
    rows: dict[str, Any] = {}
    for name in RETRIEVERS:
        say(f"  {name} …")
        alone = Pipeline(retrievers=(name,), composites=False, reranker=None, glossary=False)
        rows[f"linnet {name}"] = {
            **accuracies(Linker.open([terminology], pipeline=alone), documents, train, task),
            "speed": {threads: retriever_speed(terminology, name, texts, threads) for threads in THREADS},
        }
    for name, pipeline in LINKERS.items():
        say(f"  {name} …")
        linker = Linker.open([terminology], pipeline=pipeline)
        rows[name] = {
            **accuracies(linker, documents, train, task, augmented=True),
            "speed": {threads: linker_speed(terminology, pipeline, texts, threads) for threads in THREADS},
        }
    for peer, answer in run_peers(peers, terminology, texts).items():
        by_text = dict(zip(texts, answer["found"], strict=True))
        system = System(peer, [predicted(by_text[text]) for text in expanded])
        report = evaluate_system(system, documents, types=task.types, terminologies=[terminology])
        speed = {int(threads): len(texts) / seconds for threads, seconds in answer["seconds"].items()}
        rows[peer] = {**scores_of(report), "speed": speed}
    return {"mentions": len(mentions), "texts": len(texts), "names": len(terminology.names), "systems": rows}


def accuracies(
    linker: Linker, documents: list[Document], train: list[Document], task: Task, *, augmented: bool = False
) -> dict[str, float]:
    system = ask(linker, documents, types=task.types)
    protocols = ["strict", "lenient"]
    if augmented:
        with augmented_linker(linker, train, types=task.types) as enlarged:
            system = replace(system, augmented=ask(enlarged, documents, types=task.types).predictions)
        protocols += ["lenient+augmented", "lenient+augmented+unseen-surface"]
    report = evaluate_system(
        system,
        documents,
        protocols=protocols,
        train=train if augmented else None,
        types=task.types,
        terminologies=linker.terminologies,
    )
    return scores_of(report)


def scores_of(report: Any) -> dict[str, float]:
    """Accuracy by protocol, recall@64 of some, in per cent; expected calibration error, where there are probabilities."""
    found = {
        result.protocol: {score.name: 100 * score.value for score in result.scores}
        for result in report.results
    }
    figures = {protocol: scores["accuracy"] for protocol, scores in found.items()}
    recalls = {
        "lenient": "recall@64",
        "strict": "strict recall@64",
        "lenient+augmented": "augmented recall@64",
    }
    figures |= {name: found[protocol]["recall@64"] for protocol, name in recalls.items() if protocol in found}
    if report.calibration is not None:
        figures["calibration error"] = report.calibration.error.value
    return figures


def predicted(found: list[tuple[str, str, float]]) -> Predicted:
    ranked, names = homonyms((concept, name) for concept, name, _ in found)
    return Predicted(frozenset(ranked[0][:1]) if ranked else frozenset(), ranked, names)


def retriever_speed(terminology: Terminology, name: str, texts: list[str], threads: int) -> float:
    """Distinct mentions a second, opening excluded; the better of two rounds."""
    index = open_retriever(terminology, name, threads=threads)
    index.search(texts[:16], k=K)
    return len(texts) / min(timed(lambda: index.search(texts, k=K)) for _ in range(2))


def linker_speed(terminology: Terminology, pipeline: Pipeline, texts: list[str], threads: int) -> float:
    """The same through the whole pipeline, candidates unread; a new linker each time, as it remembers."""
    mentions = [Mention.alone(text) for text in texts]
    linkers = [Linker.open([terminology], pipeline=pipeline, threads=threads) for _ in range(2)]
    return len(texts) / min(timed(lambda one=one: one.link(mentions, k=K)) for one in linkers)


def timed(work: Any) -> float:
    simplify.cache_clear()  # what an earlier round has normalised must be normalised again
    return seconds(work)


def run_peers(python: Path, terminology: Terminology, texts: list[str], **changed: Any) -> dict[str, Any]:
    """What `peers.py` answers; `changed` fields of its job."""
    job, out = OUT / "job.json", OUT / "peers.json"
    wanted = {
        "terminology": str(terminology.path),
        "texts": texts,
        "k": K,
        "threads": THREADS,
        "compared": COMPARED,
        **changed,
    }
    job.write_text(json.dumps(wanted, ensure_ascii=False), encoding="utf-8")
    subprocess.run([python, ROOT / "benchmarks/peers.py", job, out], check=True)
    return dict(json.loads(out.read_text(encoding="utf-8")))


def beside(
    script: str, terminology: str, data: Path, corpora: Sequence[str], python: Path, *types: str
) -> dict[str, Any]:
    """What a script that times linnet beside a peer prints, and whether its targets were met."""
    command = [python, ROOT / "benchmarks" / script, "--terminology", OUT / terminology, "--rounds", "2"]
    command += ["--mentions", *(data / corpus for corpus in corpora), "--types", *types]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    return {"met": done.returncode == 0, "table": done.stdout.strip(), "failures": done.stderr.strip()}


def gate(script: str) -> dict[str, Any]:
    """Whether a benchmark with limits of its own met them; if not, its last lines."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / script], cwd=ROOT, capture_output=True, text=True
    )
    (OUT / script).with_suffix(".txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    met = done.returncode == 0
    said = "" if met else "; ".join((done.stdout + done.stderr).split("\n")[-4:]).strip("; ")
    return {"script": f"benchmarks/{script}", "met": met, "said": said}


if __name__ == "__main__":
    sys.exit(main())
