"""Speed of the whole linker beside scikit-learn's TF-IDF, in one run, in turns, with equal threads and mentions.

    python benchmarks/linking_speed.py --terminology medic/ --mentions NCBIdevelopset_corpus.txt [--mentions …]

The distinct mention texts of the corpora, abbreviations spelt out, are linked with 64 candidates each by the
terminology's pipeline: abbreviations, retrieval, composites, reranking, whatever it has. A new linker each round, as one
remembers what it has found; opening is left out. Rounds alternate and the fastest of each system counts.

    system                           answers with
    scikit-learn, all sorted         64 concepts: `TfidfVectorizer(analyzer="char", ngram_range=(2, 5))`, a scipy product
                                     with all names, every score above 0 sorted
    scikit-learn, best selected      the same, but only the best few hundred scores are selected and sorted
    linnet                           links, whose candidates are made when they are looked at
    linnet, all candidates read      the same, and ids and names of all 64 looked at

Exits with 1 where linnet is less than `--at-least` times as fast as scikit-learn with everything sorted, which is how it
is usually written, or less than `--at-least-best` times as fast as the other.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

# One thread means one: BLAS and OpenMP must not help.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
from sparse_speed import ScikitLearn  # noqa: E402

from linnet import corpora  # noqa: E402
from linnet.errors import LinnetError  # noqa: E402
from linnet.evaluate import gold_mentions  # noqa: E402
from linnet.link import Linker, Pipeline  # noqa: E402
from linnet.read.abbreviations import expanded_texts  # noqa: E402
from linnet.terminology import Terminology  # noqa: E402
from linnet.text import gloss, key, kind, sense, simplify  # noqa: E402
from linnet.types import Mention  # noqa: E402

K = 64
PLAIN, QUICK = "scikit-learn, all sorted", "scikit-learn, best selected"
OURS, READ = "linnet", "linnet, all candidates read"


class AllSorted(ScikitLearn):
    """The peer as it is usually written, over the vectors of another."""

    def __init__(self, other: ScikitLearn) -> None:
        self._vectorizer, self._names, self._concepts = other._vectorizer, other._names, other._concepts

    def _walk(self, names: np.ndarray, scores: np.ndarray) -> list[int]:
        ranked = names[np.lexsort((names, -scores))]
        concepts: dict[int, None] = {}
        for start in range(0, len(ranked), 4 * K):
            concepts.update(dict.fromkeys(self._concepts[ranked[start : start + 4 * K]].tolist()))
            if len(concepts) >= K:
                break
        return list(concepts)[:K]


class Linking:
    """linnet, candidates looked at or not."""

    def __init__(self, terminology: Terminology, pipeline: Pipeline, *, read: bool) -> None:
        self._terminology, self._pipeline, self._read = terminology, pipeline, read

    def prepare(self, texts: Sequence[str], threads: int) -> Callable[[], object]:
        """The work to be timed, with a linker that has opened everything but has seen none of these texts."""
        linker = Linker.open([self._terminology], pipeline=self._pipeline, threads=threads)
        linker.link(["warm up"], k=K)
        mentions = [Mention.alone(text) for text in texts]
        for form in (simplify, key, gloss, sense, kind):
            form.cache_clear()

        def work() -> object:
            links = linker.link(mentions, k=K)
            return [tuple(link.candidates) for link in links] if self._read else links

        return work


def seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--terminology", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--mentions", required=True, action="append", metavar="FILE", help="any corpus linnet reads"
    )
    parser.add_argument("--types", nargs="*", default=[], help="only mentions of these types")
    parser.add_argument(
        "--retrievers", nargs="*", default=[], help="instead of those of the terminology's pipeline"
    )
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--at-least", type=float, default=10.0, help="× all sorted (default 10)")
    parser.add_argument("--at-least-best", type=float, default=2.5, help="× best selected (default 2.5)")
    options = parser.parse_args()
    try:
        terminology = Terminology.open(options.terminology)
        documents = [document for file in options.mentions for document in corpora.read(file)]
        texts = sorted(set(expanded_texts(list(gold_mentions(documents, types=options.types)))))
        if not texts:
            sys.exit("no mentions. Check --mentions and --types.")
        pipeline = Pipeline.from_manifest(terminology.pipeline)
        if options.retrievers:
            pipeline = Pipeline.from_manifest({**terminology.pipeline, "retrievers": options.retrievers})
        Linker.open([terminology], pipeline=pipeline)
    except LinnetError as error:
        sys.exit(str(error))
    quick = ScikitLearn(terminology)
    peers = {PLAIN: AllSorted(quick), QUICK: quick}
    ours = {name: Linking(terminology, pipeline, read=name == READ) for name in (OURS, READ)}
    print(
        f"{len(terminology.names):,} names, {len(texts):,} distinct texts, k = {K}, {'+'.join(pipeline.retrievers)}\n"
    )
    print("| threads | system | mentions/s | × all sorted | × best selected |\n|---|---|---:|---:|---:|")
    failures = []
    for threads in options.threads:
        best: dict[str, float] = {}
        for _ in range(options.rounds):
            for name, peer in peers.items():
                took = seconds(partial(peer.search, texts, threads))
                best[name] = min(best.get(name, took), took)
            for name, system in ours.items():
                took = seconds(system.prepare(texts, threads))
                best[name] = min(best.get(name, took), took)
        for name, took in best.items():
            print(
                f"| {threads} | {name} | {len(texts) / took:,.0f} | {best[PLAIN] / took:.1f} | {best[QUICK] / took:.1f} |"
            )
        for peer, least in ((PLAIN, options.at_least), (QUICK, options.at_least_best)):
            if best[peer] / best[OURS] < least:
                failures.append(
                    f"{threads} threads: {best[peer] / best[OURS]:.1f} × {peer}; expected {least:g}"
                )
    print("\n".join(failures), file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
