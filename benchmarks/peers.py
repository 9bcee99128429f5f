"""Other programs on the same names and the same texts; run by `bench.py` in their own environment.

    python benchmarks/peers.py JOB.json OUT.json

JOB  {"terminology", "texts", "k", "threads": [1, 2], "compared": largest names × texts for rapidfuzz,
      "peers": those to run, all where it is missing}
OUT  {peer: {"seconds": {threads: s}, "threads": …, "found": per text, best first, [concept id, name, score]}}

The texts are distinct, with abbreviations spelt out; building is not timed.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from sparse_speed import ScikitLearn

from linnet.terminology import Terminology

Found = list[list[tuple[int, float]]]  # per text, best first: name row, score; each concept once


class TfIdf(ScikitLearn):
    """scikit-learn as in `sparse_speed.py`, keeping which name was found."""

    def _walk(self, names: np.ndarray, scores: np.ndarray) -> list:  # type: ignore[type-arg]
        order = np.lexsort((names, -scores))[:4000]
        return first_of_concepts(self._concepts, names[order], scores[order], k=64)


def first_of_concepts(concepts: np.ndarray, names: np.ndarray, scores: np.ndarray, *, k: int) -> list:  # type: ignore[type-arg]
    _, first = np.unique(concepts[names], return_index=True)
    return [(int(names[i]), float(scores[i])) for i in np.sort(first)[:k]]


def rapidfuzz(terminology: Terminology, k: int) -> Callable[[Sequence[str], int], Found]:
    """Indel similarity with every name."""
    from rapidfuzz import fuzz, process, utils

    names = [utils.default_process(name) for name in terminology.names.array.to_pylist()]
    concepts = np.asarray(terminology.name_concepts)

    def search(texts: Sequence[str], threads: int) -> Found:
        found: Found = []
        for start in range(0, len(texts), 128):
            asked = [utils.default_process(text) for text in texts[start : start + 128]]
            scores = process.cdist(asked, names, scorer=fuzz.ratio, workers=threads, dtype=np.float32)
            for row in scores:
                best = np.argpartition(-row, 6 * k)[: 6 * k]
                best = best[np.lexsort((best, -row[best]))]
                found.append(first_of_concepts(concepts, best, row[best], k=k))
        return found

    return search


def gilda(terminology: Terminology, k: int) -> Callable[[Sequence[str], int], Found]:
    """gilda's grounder over the same names, one thread."""
    from gilda import make_grounder
    from gilda.process import normalize
    from gilda.term import Term

    preferred = terminology.preferred
    terms = [
        Term(normalize(name), name, "X", str(row), name, "name" if preferred[row] else "synonym", "bench")
        for row, name in enumerate(terminology.names.array.to_pylist())
    ]
    grounder = make_grounder(terms)
    concepts = np.asarray(terminology.name_concepts)

    def search(texts: Sequence[str], threads: int) -> Found:
        found: Found = []
        for text in texts:
            matches = grounder.ground(text)
            names = np.array([int(match.term.id) for match in matches], dtype=np.int64)
            found.append(
                first_of_concepts(concepts, names, np.array([match.score for match in matches]), k=k)
                if len(names)
                else []
            )
        return found

    return search


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    terminology = Terminology.open(job["terminology"])
    texts, k = job["texts"], job["k"]
    makers = {"scikit-learn TF-IDF char 2–5": lambda t, k: TfIdf(t).search, "gilda": gilda}
    if len(texts) * len(terminology.names) <= job["compared"]:
        makers["rapidfuzz ratio"] = rapidfuzz
    out = {}
    makers = {peer: make for peer, make in makers.items() if peer in job.get("peers", makers)}
    for peer, make in makers.items():
        print(f"  {peer} …", file=sys.stderr)
        search, seconds = make(terminology, k), {}
        for threads in [1] if peer == "gilda" else job["threads"]:
            start = time.perf_counter()
            found = search(texts, threads)
            seconds[threads] = time.perf_counter() - start
        out[peer] = {"seconds": seconds, "found": [named(terminology, row) for row in found]}
    Path(sys.argv[2]).write_text(json.dumps(out, ensure_ascii=False), encoding="utf-8")


def named(terminology: Terminology, row: Sequence[tuple[int, float]]) -> list[tuple[str, str, float]]:
    return [
        (terminology.ids[int(terminology.name_concepts[name])], terminology.names[name], round(score, 5))
        for name, score in row
    ]


if __name__ == "__main__":
    main()
