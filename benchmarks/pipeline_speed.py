"""Mentions a second of named pipelines over a corpus, in one run, in turns.

    python benchmarks/pipeline_speed.py --terminology medic/ --mentions NCBIdevelopset_corpus.txt [--pipelines default accurate]

All mentions of the corpus are linked in their documents, repeated ones too, with a new linker each round, as one remembers what it
has found; opening is left out. Rounds alternate and the fastest of each pipeline counts. *Asked*: the share of mentions, one by
one, that a reranker with a second encoder asks that encoder about. Exits with 1 where a pipeline links fewer mentions a second
than `--at-least`.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

# One thread means one: BLAS and OpenMP must not help.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import linnet  # noqa: E402
from linnet import corpora  # noqa: E402
from linnet.errors import LinnetError  # noqa: E402
from linnet.evaluate import gold_mentions  # noqa: E402
from linnet.link import Linker  # noqa: E402
from linnet.rerank.second_stage import SecondStageReranker  # noqa: E402
from linnet.types import Mention  # noqa: E402

K = 5


def seconds(terminology: Path, pipeline: str, mentions: Sequence[Mention], threads: int) -> float:
    """Linking all mentions with a linker that has seen none of them."""
    linker = linnet.load(terminology, pipeline=pipeline, threads=threads)
    linker.link(["warm up"], k=K)
    gc.collect()
    start = time.perf_counter()
    linker.link(mentions, k=K)
    return time.perf_counter() - start


def asked(linker: Linker, mentions: Sequence[Mention]) -> float:
    """The share of mentions of which the first reranker is unsure."""
    reranker = linker.reranking.reranker
    if not isinstance(reranker, SecondStageReranker):
        return 0.0
    choice = linker.retrieve(mentions, k=linker.pipeline.depth)
    ranked = reranker.first.rerank(mentions, choice.texts, choice.hits, linker.group)
    return len(reranker.unsure(ranked)) / len(mentions)


def main() -> int:
    """Run what the module says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--terminology", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--mentions", required=True, nargs="+", metavar="FILE", help="any corpus linnet reads"
    )
    parser.add_argument("--types", nargs="*", default=[], help="only mentions of these types")
    parser.add_argument("--pipelines", nargs="+", default=["default", "accurate"], metavar="NAME|FILE.toml")
    parser.add_argument("--threads", type=int, nargs="*", default=[1])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--at-least", type=float, default=100.0, help="mentions a second (default 100)")
    given = parser.parse_args()
    try:
        documents = [document for file in given.mentions for document in corpora.read(file)]
        mentions = list(gold_mentions(documents, types=given.types))
        if not mentions:
            sys.exit("no mentions. Check --mentions and --types.")
        shares = {
            name: asked(linnet.load(given.terminology, pipeline=name, threads=1), mentions)
            for name in given.pipelines
        }
    except LinnetError as error:
        sys.exit(str(error))
    print(f"{len(mentions):,} mentions of {len(documents):,} documents, k = {K}\n")
    print(
        f"| threads | pipeline | asked, % | mentions/s | × {given.pipelines[0]} |\n|---|---|---:|---:|---:|"
    )
    failures = []
    for threads in given.threads:
        best = dict.fromkeys(given.pipelines, float("inf"))
        for _ in range(given.rounds):
            for name in given.pipelines:
                best[name] = min(best[name], seconds(given.terminology, name, mentions, threads))
        for name, took in best.items():
            rate, ratio = len(mentions) / took, best[given.pipelines[0]] / took
            print(f"| {threads} | `{name}` | {100 * shares[name]:.0f} | {rate:,.0f} | {ratio:.2f} |")
            if rate < given.at_least:
                failures.append(
                    f"{name}, {threads} threads: {rate:.0f} mentions/s; expected {given.at_least:g}"
                )
    print("\n".join(failures), file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
