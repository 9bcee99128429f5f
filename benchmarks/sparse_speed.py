"""Speed of linnet's character n-gram retrieval beside scikit-learn's TF-IDF, at equal recall, threads and mentions.

    python benchmarks/sparse_speed.py --terminology medic/ --mentions NCBItrainset_corpus.txt [--mentions …]

Both systems search the distinct mention texts of the corpora, for 64 concepts each, in turns, and the fastest of the
rounds counts. Building, opening and reading are left out. The peer is `TfidfVectorizer(analyzer="char",
ngram_range=(2, 5))`, a scipy product with all names, and a walk down the best names until 64 distinct concepts.
recall@64 is lenient: mentions without a gold concept in the terminology are left out, any gold concept counts.

Exits with 1 where linnet is less than `--at-least` times as fast, or its recall@64 more than 0.2 points lower.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

# One thread means one: BLAS and OpenMP must not help.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

from linnet.corpora import read  # noqa: E402
from linnet.errors import LinnetError, StoreError  # noqa: E402
from linnet.retrieve.sparse import CharIndex  # noqa: E402
from linnet.terminology import Terminology  # noqa: E402
from linnet.text import gloss, simplify  # noqa: E402

K = 64
LOST = 0.2
TOGETHER = 256
Ranked = list[list[int]]


class ScikitLearn:
    """The peer: every name weighed and compared."""

    def __init__(self, terminology: Terminology) -> None:
        try:
            from sklearn.feature_extraction.text import TfidfVectorizer
        except ImportError:
            sys.exit("scikit-learn is not installed. Run: pip install scikit-learn")
        self._vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(2, 5), dtype=np.float32)
        names = self._vectorizer.fit_transform(terminology.names.array.to_pylist())
        self._names = names.T.tocsr()
        self._concepts = terminology.name_concepts

    def search(self, texts: Sequence[str], threads: int) -> Ranked:
        parts = [texts[start : start + TOGETHER] for start in range(0, len(texts), TOGETHER)]
        if threads == 1:
            return [row for part in parts for row in self._search(part)]
        with ThreadPoolExecutor(threads) as pool:
            return [row for rows in pool.map(self._search, parts) for row in rows]

    def _search(self, texts: Sequence[str]) -> Ranked:
        scores = (self._vectorizer.transform(texts) @ self._names).tocsr()
        return [
            self._walk(scores.indices[start:stop], scores.data[start:stop])
            for start, stop in zip(scores.indptr, scores.indptr[1:], strict=False)
        ]

    def _walk(self, names: np.ndarray, scores: np.ndarray) -> list[int]:
        width = 6 * K
        while True:
            best = np.argpartition(-scores, width)[:width] if width < len(scores) else np.arange(len(scores))
            ranked = names[best[np.lexsort((names[best], -scores[best]))]]
            concepts = list(dict.fromkeys(self._concepts[ranked].tolist()))
            if len(concepts) >= K or width >= len(scores):
                return concepts[:K]
            width *= 4


class Linnet:
    """`CharIndex`, built beside the terminology where it is not there yet."""

    def __init__(self, terminology: Terminology) -> None:
        try:
            self._index = CharIndex.open(terminology)
        except StoreError:
            print("building index/char …", file=sys.stderr)
            self._index = CharIndex.build(terminology)

    def search(self, texts: Sequence[str], threads: int) -> Ranked:
        self._index.threads = threads
        # What an earlier round has normalised must be normalised again.
        gloss.cache_clear()
        simplify.cache_clear()
        return [[c for c in row if c >= 0] for row in self._index.search(texts, k=K).concepts.tolist()]


def gold_mentions(
    paths: Sequence[Path], terminology: Terminology, types: set[str]
) -> list[tuple[str, set[int]]]:
    """Text and gold rows of every mention that has some in the terminology."""
    mentions = []
    for path in paths:
        for document in read(path):
            for mention in document.mentions:
                rows = {terminology.row(id) for gold in mention.concepts for id in terminology.resolve(gold)}
                if rows and (not types or mention.type in types):
                    mentions.append((mention.text, rows))
    return mentions


def recall(found: dict[str, list[int]], mentions: Sequence[tuple[str, set[int]]]) -> float:
    """Per cent of mentions with a gold concept among the found."""
    return 100 * sum(bool(rows & set(found[text])) for text, rows in mentions) / len(mentions)


def timed(search: Callable[[], Ranked]) -> tuple[float, Ranked]:
    start = time.perf_counter()
    found = search()
    return time.perf_counter() - start, found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--terminology", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--mentions",
        type=Path,
        required=True,
        action="append",
        metavar="FILE",
        help="any corpus linnet reads",
    )
    parser.add_argument("--types", nargs="*", default=[], help="only mentions of these types")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--at-least", type=float, default=10.0, help="times as fast (default 10)")
    options = parser.parse_args()
    try:
        terminology = Terminology.open(options.terminology)
        mentions = gold_mentions(options.mentions, terminology, set(options.types))
        if not mentions:
            sys.exit("no mention has a gold concept in this terminology. Check --mentions and --types.")
        texts = sorted({text for text, _ in mentions})
        systems = {"scikit-learn": ScikitLearn(terminology), "linnet": Linnet(terminology)}
    except LinnetError as error:
        sys.exit(str(error))
    print(
        f"{len(terminology.names):,} names, {len(texts):,} distinct texts of {len(mentions):,} mentions, k = {K}\n"
    )
    print(f"| threads | system | mentions/s | recall@{K} | times as fast |\n|---|---|---|---|---|")
    failures = []
    for threads in options.threads:
        best, recalls = dict.fromkeys(systems, float("inf")), {}
        for _ in range(options.rounds):
            for name, system in systems.items():
                seconds, found = timed(partial(system.search, texts, threads))
                best[name] = min(best[name], seconds)
                recalls[name] = recall(dict(zip(texts, found, strict=True)), mentions)
        ratio = best["scikit-learn"] / best["linnet"]
        for name in systems:
            times = f"{best['scikit-learn'] / best[name]:.1f}"
            print(f"| {threads} | {name} | {len(texts) / best[name]:,.0f} | {recalls[name]:.2f} | {times} |")
        if ratio < options.at_least:
            failures.append(f"{threads} threads: {ratio:.1f} times as fast; expected {options.at_least:g}")
        if recalls["linnet"] < recalls["scikit-learn"] - LOST:
            failures.append(
                f"{threads} threads: recall@{K} {recalls['linnet']:.2f}; expected {recalls['scikit-learn']:.2f}"
            )
    print("\n".join(["", *failures]), file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
