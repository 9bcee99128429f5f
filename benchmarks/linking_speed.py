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

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

from measuring import ONE_THREAD, corpus_options, in_turns, outcome, parser_of, table

os.environ |= ONE_THREAD

import numpy as np
from sparse_speed import ScikitLearn

from linnet import corpora
from linnet.errors import LinnetError
from linnet.evaluate import gold_mentions
from linnet.link import Linker, Pipeline
from linnet.read.abbreviations import expanded_texts
from linnet.terminology import Terminology
from linnet.types import Mention
from linnet.words.text import gloss, key, kind, sense, simplify

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


def main() -> int:
    parser = parser_of(__doc__)
    corpus_options(parser, threads=(1, 2), rounds=3)
    parser.add_argument(
        "--retrievers", nargs="*", default=[], help="instead of those of the terminology's pipeline"
    )
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
    rows, failures = [], []
    for threads in options.threads:
        ready = {name: partial(partial, peer.search, texts, threads) for name, peer in peers.items()}
        ready |= {name: partial(system.prepare, texts, threads) for name, system in ours.items()}
        best = in_turns(ready, options.rounds)
        for name, took in best.items():
            ratios = (f"{best[peer] / took:.1f}" for peer in peers)
            rows.append((threads, name, f"{len(texts) / took:,.0f}", *ratios))
        for peer, least in ((PLAIN, options.at_least), (QUICK, options.at_least_best)):
            if (ratio := best[peer] / best[OURS]) < least:
                failures.append(f"{threads} threads: {ratio:.1f} × {peer}; expected {least:g}")
    print(table(("threads", "system", "mentions/s", "× all sorted", "× best selected"), rows, text=(0, 1)))
    return outcome(failures)


if __name__ == "__main__":
    sys.exit(main())
