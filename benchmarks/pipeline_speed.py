"""Mentions a second of named pipelines over a corpus, in one run, in turns.

    python benchmarks/pipeline_speed.py --terminology medic/ --mentions NCBIdevelopset_corpus.txt [--pipelines default accurate]

All mentions of the corpus are linked in their documents, repeated ones too, with a new linker each round, as one remembers what it
has found; opening is left out. Rounds alternate and the fastest of each pipeline counts. *Asked*: the share of mentions, one by
one, that a reranker with a second encoder asks that encoder about. Exits with 1 where a pipeline links fewer mentions a second
than `--at-least`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from measuring import ONE_THREAD, corpus_options, in_turns, outcome, parser_of, table

os.environ |= ONE_THREAD

import linnet
from linnet import corpora
from linnet.errors import LinnetError
from linnet.evaluate import gold_mentions
from linnet.link import Linker
from linnet.rerank.second_stage import SecondStageReranker
from linnet.types import Mention

K = 5


def linking(
    terminology: Path, pipeline: str, mentions: Sequence[Mention], threads: int
) -> Callable[[], object]:
    """The work to be timed, with a linker that has seen none of the mentions."""
    linker = linnet.load(terminology, pipeline=pipeline, threads=threads)
    linker.link(["warm up"], k=K)
    return partial(linker.link, mentions, k=K)


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
    parser = parser_of(__doc__)
    corpus_options(parser, threads=(1,), rounds=3)
    parser.add_argument("--pipelines", nargs="+", default=["default", "accurate"], metavar="NAME|FILE.toml")
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
    rows, failures = [], []
    for threads in given.threads:
        ready = {
            name: partial(linking, given.terminology, name, mentions, threads) for name in given.pipelines
        }
        best = in_turns(ready, given.rounds)
        for name, took in best.items():
            rate, ratio = len(mentions) / took, best[given.pipelines[0]] / took
            rows.append((threads, f"`{name}`", f"{100 * shares[name]:.0f}", f"{rate:,.0f}", f"{ratio:.2f}"))
            if rate < given.at_least:
                failures.append(
                    f"{name}, {threads} threads: {rate:.0f} mentions/s; expected {given.at_least:g}"
                )
    print(
        table(("threads", "pipeline", "asked, %", "mentions/s", f"× {given.pipelines[0]}"), rows, text=(0, 1))
    )
    return outcome(failures)


if __name__ == "__main__":
    sys.exit(main())
