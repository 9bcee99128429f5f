"""A listwise reranker on what it has not seen: each set is left out once, and reranked by what the others teach.

    LINNET_DATA=… python -m benchmarks.generalisation.leave_one_out [--hidden 16] [--steps 1500] [--seeds 1] [--only SET ...]

The sets are the training sets of NCBI and BC5CDR (with the terminologies of `benchmarks/bench.py --build`) and the dev sets here
that are not bare strings. Candidates come from exact and dense search with the shipped encoder. Nothing is remembered of
training mentions: names, context and hierarchy alone decide. Sets are drawn by the square root of their sizes. The table has, for
each set, Acc@1 (lenient) of the first candidate found and of the reranked ones, the paired difference with its 95 % interval over
documents, and how often the right concept is among the candidates at all. So it says what a change of `linnet.rerank.features`
is worth elsewhere. Features are kept in bench-out/leave-one-out as long as linking does not change.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import numpy as np  # noqa: E402
import torch  # noqa: E402

from benchmarks.generalisation.page import percent, signed, table  # noqa: E402
from benchmarks.generalisation.sets import sets as dev_sets  # noqa: E402
from benchmarks.generalisation.systems import linking_code  # noqa: E402
from linnet import corpora  # noqa: E402
from linnet.encode import load_encoder  # noqa: E402
from linnet.evaluate.gold import gold_mentions  # noqa: E402
from linnet.evaluate.significance import paired_bootstrap  # noqa: E402
from linnet.evaluate.system import blank  # noqa: E402
from linnet.link import Linker, Pipeline  # noqa: E402
from linnet.rerank.candidate_table import CandidateTable  # noqa: E402
from linnet.rerank.features import FEATURES, Features  # noqa: E402
from linnet.rerank.listwise import ListwiseReranker  # noqa: E402
from linnet.rerank.load import open_reranker  # noqa: E402
from linnet.rerank.name_features import StringTable  # noqa: E402
from linnet.terminology import Terminology  # noqa: E402
from linnet.train.tasks.listwise import ListScorer, list_loss  # noqa: E402
from linnet.types import Document  # noqa: E402

Array = np.ndarray[Any, np.dtype[Any]]

KEPT = ROOT / "bench-out" / "leave-one-out"
CANDIDATES = 8  # of a mention, as the default pipeline reranks them
BATCH = 256  # lists
LEAST_SPREAD = 0.05  # of a feature, as in training
NCBI = "ncbi-disease/NCBItrainset_corpus.txt"
BC5CDR = "bc5cdr/CDR_TrainingSet.PubTator.txt"
# Training sets: corpus, type of mention, terminology in bench-out (built by benchmarks/bench.py).
TRAINING = {
    "ncbi": (NCBI, (), "medic"),
    "bc5cdr-disease": (BC5CDR, ("Disease",), "medic"),
    "bc5cdr-chemical": (BC5CDR, ("Chemical",), "chemicals"),
}


@dataclass(frozen=True)
class Lists:
    """(N, k, F) features of candidates, (N, k) whether there is one, (N, k) whether it is right, (N,) document of each."""

    features: Array
    present: Array
    right: Array
    documents: Sequence[str]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hidden", type=int, default=16, help="units beside the linear part")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", nargs="+", metavar="SET", help="leave out these sets alone")
    given = parser.parse_args()
    if "LINNET_DATA" not in os.environ:
        parser.error("LINNET_DATA is not set; expected the folder of the real data. Set it: LINNET_DATA=DIR")
    torch.set_num_threads(1)
    names = [*TRAINING, *(name for name in dev_sets if not name.startswith(("registry", "hospital")))]
    unknown = set(given.only or ()) - set(names)
    if unknown:
        parser.error(f"--only has '{min(unknown)}'; expected some of: {', '.join(names)}")
    lists = {name: lists_of(name) for name in names}
    rows = []
    for name in given.only or names:
        others = [lists[other] for other in names if other != name]
        seeds = [
            reranked(learn(others, hidden=given.hidden, steps=given.steps, seed=seed), lists[name])
            for seed in range(given.seeds)
        ]
        rows.append(row(name, lists[name], np.array(seeds)))
        print(rows[-1], file=sys.stderr, flush=True)
    print(table(["left out", "n", "first found", "reranked", "difference", f"among {CANDIDATES}"], rows))


def row(name: str, left_out: Lists, seeds: Array) -> list[str]:
    """seeds: (S, N) whether the reranked first candidate is right."""
    reranked, found = seeds.mean(axis=0), left_out.right[:, 0].astype(float)
    gain = paired_bootstrap(reranked.tolist(), found.tolist(), left_out.documents)
    accuracies = [percent(float(right.mean())) for right in (found, reranked, left_out.right.any(axis=1))]
    return [name, f"{len(found):,}", accuracies[0], accuracies[1], signed(gain), accuracies[2]]


def lists_of(name: str) -> Lists:
    """The candidates of a set's mentions that have exactly one concept, and it is in the terminology."""
    path = KEPT / f"{name}-{linking_code()[:12]}.npz"
    if not path.exists():
        print(f"{name}: features", file=sys.stderr, flush=True)
        documents, terminology, types = source(name)
        kept = featured(documents, terminology, types)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".part.npz")
        np.savez(
            draft, features=kept.features, present=kept.present, right=kept.right, documents=kept.documents
        )
        draft.replace(path)
    with np.load(path) as arrays:
        return Lists(
            *(arrays[field] for field in ("features", "present", "right")), list(arrays["documents"])
        )


def source(name: str) -> tuple[Sequence[Document], Terminology, tuple[str, ...]]:
    """Annotated documents, their terminology, and the types of mention that count (all for none)."""
    data = Path(os.environ["LINNET_DATA"])
    if name not in TRAINING:
        made = dev_sets[name](data, ROOT / "bench-out" / "generalisation")
        return made.documents, made.terminology, ()
    corpus, types, terminology = TRAINING[name]
    distinct = {(d.id, d.text): d for d in corpora.read(data / "corpora" / corpus, annotated=True)}
    return list(distinct.values()), Terminology.open(ROOT / "bench-out" / terminology), types


def featured(documents: Sequence[Document], terminology: Terminology, types: tuple[str, ...]) -> Lists:
    """Search, and compute the features as the shipped reranker without its memory does."""
    encoder = load_encoder("ngram", threads=1)
    shipped = open_reranker("context", threads=1)
    assert isinstance(shipped, ListwiseReranker)
    memory = shipped.priors.emptied()
    pipeline = Pipeline(encoder="ngram", reranker=None, composites=False)
    linker = Linker.open([terminology], pipeline=pipeline, threads=1)
    golds = [
        terminology.resolve(mention.concepts[0])
        if len(mention.concepts) == 1 and not mention.extra.get("combined")
        else ()
        for mention in gold_mentions(documents, types=types)
    ]
    mentions = list(gold_mentions(blank(documents), types=types))
    texts, hits, _ = linker.retrieve(mentions, k=CANDIDATES)
    strings = StringTable(encoder)
    features = Features(strings, memory, shipped.rarity)
    values = features.of(mentions, texts, hits, CandidateTable(linker.group, strings, memory))
    rows = [{terminology.row(id) for id in ids} for ids in golds]
    right = np.array(
        [[int(c) in wanted for c in concepts] for wanted, concepts in zip(rows, hits.concepts, strict=True)],
        bool,
    )
    usable = np.array([bool(wanted) for wanted in rows])
    homes = np.array([mention.document.id for mention in mentions])
    return Lists(values[usable], hits.concepts[usable] >= 0, right[usable], homes[usable].tolist())


def learn(sets: Sequence[Lists], *, hidden: int, steps: int, seed: int) -> ListScorer:
    """A scorer of all sets, each drawn by the square root of its size; AdamW with a linear schedule."""
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    seen = np.concatenate([lists.features[lists.present] for lists in sets])
    centre, scale = (torch.from_numpy(v) for v in (seen.mean(axis=0), seen.std(axis=0) + LEAST_SPREAD))
    module = ListScorer(centre, scale, hidden=hidden, dropout=0.1)
    optimiser = torch.optim.AdamW(module.parameters(), lr=3e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, 15 * step / steps) * (1 - step / steps)
    )
    draw = _drawing(sets, chance)
    for _ in range(steps):
        features, present, right = next(draw)
        optimiser.zero_grad()
        list_loss(module(features, present), right).backward()
        optimiser.step()
        schedule.step()
    return module.eval()


def _drawing(sets: Sequence[Lists], chance: np.random.Generator) -> Iterator[list[torch.Tensor]]:
    roots = np.sqrt([len(lists.right) for lists in sets])
    fields: list[Callable[[Lists], Array]] = [lambda s: s.features, lambda s: s.present, lambda s: s.right]
    while True:
        counts = chance.multinomial(BATCH, roots / roots.sum())
        chosen = [chance.integers(len(s.right), size=n) for s, n in zip(sets, counts, strict=True)]
        yield [
            torch.from_numpy(np.concatenate([field(s)[rows] for s, rows in zip(sets, chosen, strict=True)]))
            for field in fields
        ]


@torch.no_grad()
def reranked(module: ListScorer, lists: Lists) -> Array:
    """(N,) whether the best candidate is right. As in linking, a single exact match stays first."""
    logits = module(torch.from_numpy(lists.features), torch.from_numpy(lists.present))[:, :-1]
    exact = lists.features[..., FEATURES.index("exact")] > 0
    settled = exact[:, 0] & (exact.sum(axis=1) == 1)
    best = np.where(settled, 0, logits.argmax(dim=1).numpy())
    right: Array = lists.right[np.arange(len(best)), best]
    return right


if __name__ == "__main__":
    main()
