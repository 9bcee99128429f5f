"""Cross-validates a dual encoder as a context reranker inside train: every fold is linked by a model that saw the others.

    python experiments/dual_cv.py experiments/dual.toml docs/results/dual.md

The whole linker links each fold with and without the reranker, with the terminology as it is and with the other folds'
mentions as names. Nothing outside train is read.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import torch
from folds_linked import COMPARED, Changes, Row, comparisons, keys, linked, rows_of
from result_tables import machine, markdown, percent

from linnet.evaluate.gold import gold_mentions
from linnet.terminology import Terminology
from linnet.train.clusters import LinkedCandidates, concatenated, linked_candidates
from linnet.train.crossfit import Crossfit
from linnet.train.run import read_run
from linnet.train.sources import SourceSettings
from linnet.train.tasks.dual import DualTask
from linnet.train.tasks.dual_settings import DualSettings

FOLDS = 5
K = 8  # candidates of a mention
HEAD = ("", "reranker", "mentions", "lenient", "unseen surfaces", "strict")
PAGE = """# Reranking by a dual encoder

Written by `python experiments/dual_cv.py {run_file} {out} --folds {which} --depth {depths}`;
{done} of {folds} folds of the training documents; {machine}.
Each fold is linked by a dual encoder (Le & Nguyen, static towers) that saw the others, with the terminology as it is (`plain`) and
with the mentions of the other folds as names (`augmented`). `none` is the encoder `ngram` and exact look-up alone. Accuracy in %.
linnet's hand-written [glossary](../linking.md#the-glossary) is used in the exact look-up of every row. It was tuned on errors in these
training sets, so every row is somewhat better than it would be on other texts. The dual encoder does not use it.
The weight of retrieval's score, 10, was chosen on fold 0: with 5 and 7, diseases gain more with the plain terminology, but unseen
chemicals lose. The dual encoder reads MEDIC's names in training, so it is not shipped; for the shipped `context`, see
[context.md](context.md).

{table}
Difference that reranking makes, with a 95 % bootstrap interval over documents and McNemar's test:

{compared}"""


def main() -> None:
    """Run what the module says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run_file", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--folds", type=int, nargs="*", help="outer folds; all if left out")
    parser.add_argument("--place", type=Path, help="where the terminologies of the folds are kept")
    parser.add_argument("--depth", type=int, nargs="*", default=[64], help="candidates to rerank")
    parser.add_argument("--margin", type=float, nargs="*", default=[1.0], help="the pipeline's")
    given = parser.parse_args()
    settings, _ = read_run(given.run_file)
    assert isinstance(settings, DualSettings)
    torch.set_num_threads(1)
    data = settings.data
    sources = (
        SourceSettings(corpora=data.corpora, terminology=data.terminology, types=data.types),
        *(
            SourceSettings(corpora=also.corpora, terminology=also.terminology, types=also.types)
            for also in data.also
        ),
    )
    crossfit = Crossfit(
        sources, folds=FOLDS, depth=data.candidates, retrievers=data.retrievers, encoder=data.encoder,
        threads=1, place=given.place,
    )  # fmt: skip
    parts = {
        (s, f): candidates(crossfit, s, f, data.candidates) for s in range(len(sources)) for f in range(FOLDS)
    }
    rows: list[Row] = []
    done = []
    for fold in given.folds or range(FOLDS):
        done.append(fold)
        began = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            train(
                settings,
                crossfit,
                [parts[key] for key in parts if key[1] != fold],
                [s for s, f in parts if f != fold],
                folder,
            )
            print(f"fold {fold}: trained in {time.process_time() - began:.0f} s", file=sys.stderr, flush=True)
            systems: dict[str, Changes] = {"none": {"reranker": None}}
            for depth, margin in product(given.depth, given.margin):
                changes = {"reranker": f"{folder}/m", "depth": depth, "margin": margin}
                systems[f"dual, depth {depth}, margin {margin:g}"] = changes
            rows += linked(crossfit, fold, systems, k=K)
        page = PAGE.format(
            run_file=given.run_file, out=given.out, done=len(done), which=" ".join(map(str, done)),
            depths=" ".join(map(str, given.depth)), folds=FOLDS, machine=machine(),
            table=markdown(HEAD, table(rows)), compared=markdown(COMPARED, comparisons(rows)),
        )  # fmt: skip
        given.out.write_text(page, encoding="utf-8")
    print(page)


def candidates(crossfit: Crossfit, source: int, fold: int, k: int) -> LinkedCandidates:
    """Of the mentions of a fold, with the terminology as it is."""
    pipeline = replace(crossfit.pipeline, reranker=None)
    mentions = list(
        gold_mentions(crossfit.in_fold(source, fold), types=crossfit.sources[source].settings.types)
    )
    return linked_candidates(mentions, crossfit.linker(source, None, pipeline), k=k)


def train(
    settings: DualSettings, crossfit: Crossfit, parts: list[LinkedCandidates], sources: list[int], folder: str
) -> None:
    """A model of these parts in FOLDER/m."""
    torch.manual_seed(settings.seed)
    homes = list(dict.fromkeys(source.settings.terminology for source in crossfit.sources))
    terminologies = [Terminology.open(home) for home in homes]
    first = np.cumsum([0, *map(len, terminologies)])
    rows = [int(first[homes.index(crossfit.sources[source].settings.terminology)]) for source in sources]
    task = DualTask(settings, terminologies, concatenated(parts, rows), None, None)
    optimiser = task.optimiser()
    task.module.train()
    for step in range(round(settings.loop.steps * (FOLDS - 1) / FOLDS)):
        optimiser.zero_grad(set_to_none=True)
        task.loss(step).backward()
        optimiser.step()
    task.save(Path(folder) / "m", card="", training={})


def table(rows: Sequence[Row]) -> list[list[str]]:
    """A line for each task, dictionary and reranker, and for all tasks together."""
    lines = []
    for task, dictionary, reranker in keys(rows):
        mine = rows_of(rows, task, dictionary, reranker)
        known, gold = [row for row in mine if row["known"]], [row for row in mine if row["gold"]]
        unseen = [row for row in known if row["unseen"]]
        shares = [percent(float(np.mean([row[name] for row in some])))
                  for some, name in ((known, "lenient"), (unseen, "lenient"), (gold, "strict"))]  # fmt: skip
        lines.append([f"{task}, {dictionary}", reranker, f"{len(known):,}", *shares])
    return lines


if __name__ == "__main__":
    main()
