"""Figures of one process, as one line of JSON: opening, single mentions, batches, what is resident, what is compared.

python measure.py open STORE             seconds to open the store and its indexes for linking
python measure.py single STORE QUERIES   milliseconds of each query alone; what is resident afterwards
python measure.py link STORE QUERIES     the same through the whole linker; most queries in one batch
python measure.py batch STORE QUERIES THREADS
python measure.py share STORE QUERIES    answers some, says "ready", and waits for a line: to see who shares what
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))

from measuring import seconds
from watch import memory

from linnet.link import Linker
from linnet.retrieve import ivf, open_retriever
from linnet.retrieve.vector_file import VectorFile
from linnet.terminology import Terminology
from linnet.words.text import simplify

K = 64
LINKED = 1000  # queries that go through the whole linker, one by one
ROUNDS = 3  # of searching a batch, of which the median counts


def texts_of(path: Path) -> list[str]:
    """The texts of the queries, in the order of the file."""
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


def opening(store: Path) -> dict[str, float]:
    start = time.perf_counter()
    terminology = Terminology.open(store)
    for name in ("exact", "dense"):
        open_retriever(terminology, name, threads=1)
    indexes = time.perf_counter() - start
    start = time.perf_counter()
    Linker.open([Terminology.open(store)], threads=1)
    return {"open indexes, s": indexes, "open linker, s": time.perf_counter() - start}


def single(store: Path, texts: Sequence[str]) -> dict[str, Any]:
    terminology = Terminology.open(store)
    retrievers = [open_retriever(terminology, name, threads=1) for name in ("exact", "dense")]
    # The pages of a new process are mapped by the first queries; those are answered, and counted as resident, but not timed.
    for text in texts[:200]:
        _searched(retrievers, text)
    times = [_searched(retrievers, text) for text in texts[200:]]
    resident = {kind: memory(os.getpid(), kind) for kind in ("Rss", "Anonymous")}
    return {
        "queries": len(texts),
        **_quantiles("search", times),
        "resident, MB": resident["Rss"],
        "of that its own, MB": resident["Anonymous"],
        "compared for a query, MB": _compared(retrievers, texts[:500]),
    }


def link(store: Path, texts: Sequence[str]) -> dict[str, float]:
    """In a process of its own: beside retrievers that are open already, every file that both map would count twice."""
    linker = Linker.open([Terminology.open(store)], threads=1)
    times = [seconds(lambda text=text: linker.link([text], k=5)) for text in texts[:LINKED]]
    linker.link(texts[LINKED:], k=5)
    return {
        **_quantiles("link", times[LINKED // 10 :]),
        "resident with the linker, MB": memory(os.getpid(), "Rss"),
    }


def batch(store: Path, texts: Sequence[str], threads: int) -> dict[str, float]:
    terminology = Terminology.open(store)
    retrievers = [open_retriever(terminology, name, threads=threads) for name in ("exact", "dense")]
    linker = Linker.open([terminology], threads=threads)
    for retriever in retrievers:
        retriever.search(texts[:200], k=K)
    times = []
    for _ in range(ROUNDS):
        simplify.cache_clear()
        times.append(seconds(lambda: [retriever.search(texts, k=K) for retriever in retrievers]))
    simplify.cache_clear()
    linked = seconds(lambda: linker.link(texts, k=5))  # once: it remembers what it has linked
    searched = sorted(times)[ROUNDS // 2]
    return {"searched a second": len(texts) / searched, "linked a second": len(texts) / linked}


def share(store: Path, texts: Sequence[str]) -> None:
    terminology = Terminology.open(store)
    retrievers = [open_retriever(terminology, name, threads=1) for name in ("exact", "dense")]
    for text in texts[:2000]:
        _searched(retrievers, text)
    print("ready", flush=True)
    sys.stdin.readline()


def _searched(retrievers: Sequence[Any], text: str) -> float:
    return seconds(lambda: [retriever.search([text], k=K) for retriever in retrievers])


def _quantiles(what: str, times: Sequence[float]) -> dict[str, float]:
    values = 1000 * np.array(times)
    return {
        f"{what} {q}, ms": float(np.quantile(values, place)) for q, place in (("p50", 0.5), ("p99", 0.99))
    }


def _compared(retrievers: Sequence[Any], texts: Sequence[str]) -> float:
    """Megabytes of centres, codes and vectors that a query is compared with, its median; 0 of a form other than `ivf`."""
    each: list[float] = []

    def chosen(near: Any, sizes: Any, **limits: Any) -> Any:
        lists = nearest_lists(near, sizes, **limits)
        # For each dimension, 32-bit centres and half a byte for two of every code.
        each.append(4.0 * near.shape[1] + float(sizes[lists[lists >= 0]].sum()) / 4)
        return lists

    def fixed(file: Any, rows: Any) -> Any:
        vectors = read(file, rows)
        each[-1] += vectors.nbytes / vectors.shape[1]
        return vectors

    nearest_lists, read = ivf.nearest_lists, VectorFile.fixed
    ivf.nearest_lists, VectorFile.fixed = chosen, fixed  # type: ignore[method-assign]
    for text in texts:
        _searched(retrievers, text)
    ivf.nearest_lists, VectorFile.fixed = nearest_lists, read  # type: ignore[method-assign]
    dimensions = retrievers[-1].encoder.dimensions
    return float(np.median(each or [0])) * dimensions / 1e6


def main() -> None:
    what, store, *rest = sys.argv[1:]
    texts = texts_of(Path(rest[0])) if rest else []
    if what == "share":
        share(Path(store), texts)
        return
    figures = {
        "open": lambda: opening(Path(store)),
        "single": lambda: single(Path(store), texts),
        "link": lambda: link(Path(store), texts),
        "batch": lambda: batch(Path(store), texts, int(rest[1])),
    }[what]()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
