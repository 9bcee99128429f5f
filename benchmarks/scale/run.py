"""`make bench-scale`: linnet at the size of the UMLS. Builds, indexes and searches what `generate.py` makes.

    LINNET_DATA=… python benchmarks/scale/run.py [--concepts 3400000] [--dense ivf] [--out bench-out/scale] [--processes 4]

What has been built stays in OUT, with what it cost in OUT/built.json, and is not built again; remove OUT to start anew.
Writes OUT/scale.json and the table of docs/performance.md (only at full size, or with --write); exits with 1 when a target
is missed. Needs Linux, for the memory of processes. An hour or two on two cores, 12 GB of disk.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import report
import tables
from generate import CONCEPTS, QUERIES
from measuring import ONE_THREAD, say
from watch import memory, watched

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
PYTHON = sys.executable
LINNET = Path(sys.executable).with_name("linnet")
ROUNDS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description="linnet at the size of the UMLS.")
    parser.add_argument("--concepts", type=int, default=CONCEPTS)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--dense", default="ivf", help="form of the dense index")
    parser.add_argument("--out", type=Path, default=ROOT / "bench-out" / "scale")
    parser.add_argument("--processes", type=int, default=4, help="that share a copy")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md whatever the size")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    figures: dict[str, Any] = {"machine": tables.machine(), "concepts": given.concepts, "dense": given.dense}
    figures["built"] = built(given)
    store, queries = given.out / "store", given.out / "queries.jsonl"
    figures["counts"] = json.loads((store / "terminology.json").read_text(encoding="utf-8"))["counts"]
    figures["bytes"] = sizes(store)
    say("opening")
    opened = [measured("measure.py", "open", store) for _ in range(ROUNDS)]
    figures["open"] = {what: sorted(one[what] for one in opened)[ROUNDS // 2] for what in opened[0]}
    say("single mentions")
    figures["single"] = {
        **measured("measure.py", "single", store, queries),
        **measured("measure.py", "link", store, queries),
    }
    say("batches")
    figures["batch"] = {
        threads: measured("measure.py", "batch", store, queries, threads) for threads in (1, 2)
    }
    say(f"{given.processes} processes")
    figures["shared"] = shared(store, queries, given.processes)
    say("exact search beside it")
    figures["flat"] = measured("flat.py", store, queries)
    (given.out / "scale.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if given.write or given.concepts == CONCEPTS:
        report.write(ROOT / "docs" / "performance.md", figures)
    checked = report.targets(figures)
    for line in checked:
        print(f"{'met    ' if line.met else 'NOT MET'}  {line.what}: {line.got} ({line.wanted})")
    return 0 if all(line.met for line in checked) else 1


def built(given: argparse.Namespace) -> dict[str, Any]:
    """Make, compile and index the terminology, whatever of that has not been done yet; the cost of each step."""
    kept = given.out / "built.json"
    costs: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    store = given.out / "store"
    made = [PYTHON, HERE / "generate.py", given.out, "--concepts", given.concepts, "--queries", given.queries]
    steps = {
        f"generate {given.concepts}": made,
        "terminology build": [LINNET, "terminology", "build", given.out / "META", "-o", store],
        f"index exact,dense {given.dense}": [
            LINNET, "index", store, "--retriever", "exact,dense", "--dense", given.dense,
        ],
    }  # fmt: skip
    fresh = False
    for step, command in steps.items():
        if step in costs and not fresh:
            continue
        fresh = True
        say(step)
        costs[step] = asdict(watched([str(word) for word in command]))
        kept.write_text(json.dumps(costs, indent=1) + "\n", encoding="utf-8")
    return {step: costs[step] for step in steps}


def sizes(store: Path) -> dict[str, int]:
    """Bytes on disk of the store itself and of each index."""
    own = sum(file.stat().st_size for file in store.iterdir() if file.is_file())
    indexes = {
        folder.name: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        for folder in sorted((store / "index").iterdir())
    }
    return {"store": own, **indexes}


def shared(store: Path, queries: Path, count: int) -> dict[str, float]:
    """Megabytes of one process alone and of several together, every page counted once."""
    command = [PYTHON, str(HERE / "measure.py"), "share", str(store), str(queries)]
    children = []
    totals = []
    for _ in range(count):
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        children.append(child)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(0.2)
        totals.append(sum(memory(one.pid, "Pss") for one in children))
    for child in children:
        child.communicate("\n")
    return {"processes": count, "one, MB": totals[0], "all, MB": totals[-1]}


def measured(script: str, *arguments: Any) -> dict[str, Any]:
    command = [PYTHON, str(HERE / script), *map(str, arguments)]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **ONE_THREAD}
    )
    return dict(json.loads(done.stdout))


if __name__ == "__main__":
    sys.exit(main())
