"""Exact search as the yardstick: all vectors in 32-bit floats, compared with every query, some at a time.

    python flat.py STORE QUERIES

One line of JSON: the concept recall@64 of the dense index, milliseconds of exact search for one query and for many, and
what the machine's memory and processor can do at best. All on one thread (`run.py` sees to it); encoding the names is not timed. What exact
search would hold in memory (forms × dimensions × 4 bytes) is not held: chunks are timed one by one, when they are in
memory and out of the caches, and added up.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import K, texts_of

from linnet.encode import unit
from linnet.retrieve import open_retriever
from linnet.retrieve.index import index_path
from linnet.retrieve.name_forms import NameForms
from linnet.terminology import Terminology
from linnet.words.text import simplify

_CHUNK = 1 << 18
_ASKED = 500  # queries whose recall is measured
_ALONE = 20  # queries searched one by one
_KEPT = 1024  # best forms kept of each query: 64 concepts have fewer
_EQUAL = 1e-4  # scores this near the 64th are as good


def main() -> None:
    terminology, texts = Terminology.open(Path(sys.argv[1])), texts_of(Path(sys.argv[2]))
    dense: Any = open_retriever(terminology, "dense", threads=1)
    forms = NameForms.open(index_path(terminology, "dense"))
    step = max(1, len(texts) // _ASKED)
    asked = sorted({simplify(text) for text in texts[::step][:_ASKED]})
    queries = unit(dense.encoder.encode(asked))
    scores = np.full((len(asked), _KEPT), -2, np.float32)
    best = np.full((len(asked), _KEPT), -1, np.int64)
    alone = together = 0.0
    rows = forms.names[forms.starts[:-1]]
    for start in range(0, len(forms), _CHUNK):
        names = terminology.names.take(rows[start : start + _CHUNK])
        vectors = unit(dense.encoder.encode([simplify(name) for name in names])).astype(np.float32)
        for query in queries[:_ALONE]:
            began = time.perf_counter()
            found = vectors @ query
            np.argpartition(found, -min(2 * K, len(found)))
            alone += time.perf_counter() - began
        began = time.perf_counter()
        for part in range(0, len(asked), 50):
            found = queries[part : part + 50] @ vectors.T
            near = np.argpartition(found, -min(_KEPT, found.shape[1]))[:, -_KEPT:]
            every = np.concatenate([scores[part : part + 50], np.take_along_axis(found, near, 1)], 1)
            places = np.concatenate([best[part : part + 50], near + start], 1)
            kept = np.argpartition(every, -_KEPT)[:, -_KEPT:]
            scores[part : part + 50] = np.take_along_axis(every, kept, 1)
            best[part : part + 50] = np.take_along_axis(places, kept, 1)
        together += time.perf_counter() - began
    figures = {
        "forms": len(forms),
        "dimensions": vectors.shape[1],
        "flat, ms": 1000 * alone / _ALONE,
        "flat a second": len(asked) / together,
        "recall@64": _recall(terminology, dense, forms, asked, scores, best),
        **_machine(),
    }
    print(json.dumps(figures))


def _recall(
    terminology: Terminology, dense: Any, forms: NameForms, asked: list[str], scores: Any, best: Any
) -> float:
    """Mean share of the 64 nearest concepts that the index finds; one as near as the 64th counts in its place."""
    hits = dense.search(asked, k=K)
    shares = []
    for row in range(len(asked)):
        known = best[row] >= 0
        place, names = forms.named(best[row][known].astype(np.int32))
        concepts, near = terminology.name_concepts[names], scores[row][known][place]
        order = np.argsort(-near, kind="stable")
        first = np.unique(concepts[order], return_index=True)
        nearest = dict(zip(first[0].tolist(), near[order][first[1]].tolist(), strict=True))
        cut = sorted(nearest.values(), reverse=True)[:K][-1]
        good = {concept for concept, score in nearest.items() if score >= cut - _EQUAL}
        found = good.intersection(hits.concepts[row].tolist())
        shares.append(min(len(found), K) / min(K, len(nearest)))
    return float(np.mean(shares))


def _machine() -> dict[str, float]:
    """Gigabytes a second read from memory, and thousand million multiplications and additions a second; one thread."""
    vector = np.ones(1 << 28, np.float32)  # 1 GB, more than any cache
    matrix = np.ones((2048, 2048), np.float32)
    reading, computing = [], []
    for _ in range(5):
        began = time.perf_counter()
        np.dot(vector, vector)
        reading.append(time.perf_counter() - began)
        began = time.perf_counter()
        matrix @ matrix
        computing.append(time.perf_counter() - began)
    return {"GB/s": vector.nbytes / min(reading) / 1e9, "GFLOP/s": 2 * 2048**3 / min(computing) / 1e9}


if __name__ == "__main__":
    main()
