"""Speed of linnet's character n-gram retrieval beside scikit-learn's TF-IDF, at equal recall, threads and mentions.

    python benchmarks/sparse_speed.py --terminology medic/ --mentions NCBItrainset_corpus.txt [--mentions …]

Both systems search the distinct mention texts of the corpora, for 64 concepts each, in turns, and the fastest of the
rounds counts. Building, opening and reading are left out. The peer is `TfidfVectorizer(analyzer="char",
ngram_range=(2, 5))`, a scipy product with all names, and a walk down the best names until 64 distinct concepts.
recall@64 is lenient: mentions without a gold concept in the terminology are left out, any gold concept counts.

Exits with 1 where linnet is less than `--at-least` times as fast, or its recall@64 more than 0.2 points lower.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from measuring import ONE_THREAD, corpus_options, in_turns, outcome, parser_of, table

os.environ |= ONE_THREAD

import numpy as np

from linnet.corpora import read
from linnet.errors import LinnetError, StoreError
from linnet.retrieve.sparse import CharIndex
from linnet.terminology import Terminology
from linnet.words.text import gloss, simplify

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


def main() -> int:
    parser = parser_of(__doc__)
    corpus_options(parser, threads=(1, 2), rounds=3)
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
    rows, failures = [], []
    for threads in options.threads:
        best = in_turns(
            {name: partial(partial, system.search, texts, threads) for name, system in systems.items()},
            options.rounds,
        )
        recalls = {
            name: recall(dict(zip(texts, system.search(texts, threads), strict=True)), mentions)
            for name, system in systems.items()
        }
        for name, took in best.items():
            times = f"{best['scikit-learn'] / took:.1f}"
            rows.append((threads, name, f"{len(texts) / took:,.0f}", f"{recalls[name]:.2f}", times))
        if (ratio := best["scikit-learn"] / best["linnet"]) < options.at_least:
            failures.append(f"{threads} threads: {ratio:.1f} times as fast; expected {options.at_least:g}")
        ours, theirs = recalls["linnet"], recalls["scikit-learn"]
        if ours < theirs - LOST:
            failures.append(f"{threads} threads: recall@{K} {ours:.2f}; expected {theirs:.2f}")
    print(table(("threads", "system", "mentions/s", f"recall@{K}", "times as fast"), rows, text=range(5)))
    return outcome(failures)


if __name__ == "__main__":
    sys.exit(main())
