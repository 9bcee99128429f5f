"""Cross-validates a listwise reranker inside train: every fold is linked by a model that saw the others.

    python experiments/rerank_cv.py experiments/context.toml docs/results/context.md

Corpora whose mentions are remembered are linked; the others, and names held out, are only learnt from.
For each outer fold the run file's task is trained without it, another fold choosing weights and calibrator; then its
documents are linked by the whole linker, with and without the reranker, with the terminology as it is and with the other
folds' mentions as names. The page says: accuracy under each protocol, of all mentions and of those whose surface no other
fold has, calibration error, and coverage at 95 % precision. Nothing outside train is read.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from result_tables import compared, machine, markdown, percent

from linnet.evaluate.accuracy import lenient, strict
from linnet.evaluate.calibration import coverage_at_precision, expected_calibration_error
from linnet.evaluate.gold import gold_mentions, golds_of, predicted_of
from linnet.evaluate.resolution import resolve_answers, resolve_gold
from linnet.evaluate.system import blank
from linnet.evaluate.vocabulary import Vocabulary
from linnet.link import Linker
from linnet.train.crossfit import Crossfit
from linnet.train.loop import train
from linnet.train.run import read_run
from linnet.train.tasks.listwise import ListwiseSettings, ListwiseTask, fold_examples, open_crossfit
from linnet.types import Link

Row = dict[str, Any]
Changes = dict[str, Any]  # fields of the pipeline
TASKS = {"NCBItrainset_corpus": "NCBI", "CDR_TrainingSet.PubTator Disease": "BC5CDR disease",
         "CDR_TrainingSet.PubTator Chemical": "BC5CDR chemical"}  # fmt: skip
HEAD = (
    "",
    "reranker",
    "mentions",
    "lenient",
    "unseen surfaces",
    "strict",
    "calibration error",
    "coverage at 95 %",
)
COMPARED = ("", "lenient", "strict")
PAGE = """# Reranking by features: `context`

Written by `python experiments/rerank_cv.py {run_file} {out}`; {folds} folds of the training documents, seed {seed}; {machine}.
Each fold is linked by a reranker that saw the others, with the terminology as it is (`plain`) and with the mentions of the other
folds as names (`augmented`). MEDIC 2012; MeSH 2024 with retired ids. `none` is the encoder `ngram` and exact look-up alone.
`context` remembers what the mentions of the other folds meant, with the `plain` dictionary too; `no memory` is
the same model without these counts.
linnet's hand-written [glossary](../linking.md#the-glossary) is used in the exact look-up of every row and in the words that `context`
compares. It was tuned on errors in these training sets, so every row is somewhat better than it would be on other texts.
Accuracy is in %; calibration error as in [evaluating.md](../evaluating.md). Coverage is the share of mentions that can be answered if
links below a probability threshold are withheld such that 95 % of the remaining links are right (`strict`).

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
    given = parser.parse_args()
    settings, _ = read_run(given.run_file)
    assert isinstance(settings, ListwiseSettings)
    torch.set_num_threads(settings.loop.threads or 1)
    crossfit = open_crossfit(settings.data, threads=settings.loop.threads)
    lists = list(crossfit.lists())
    rows: list[Row] = []
    for fold in given.folds or range(crossfit.folds):
        inner = replace(settings.data, left_out=fold, held_out=(fold + 1) % crossfit.folds)
        torch.manual_seed(settings.seed)
        changed = replace(settings, data=inner)
        task = ListwiseTask(changed, crossfit, fold_examples(changed, crossfit, lists))
        with tempfile.TemporaryDirectory() as folder:
            scores = train(task, settings.loop, Path(folder)).scores
            print(f"fold {fold}: {scores}", file=sys.stderr, flush=True)
            task.save(Path(folder) / "m", card="", training={})
            model = str(Path(folder) / "m")
            systems: dict[str, Changes] = {
                "none": {"reranker": None},
                "context": {"reranker": model},
                "context, no memory": {"reranker": model, "memory": False},
            }
            rows += linked(crossfit, fold, systems, inner.candidates)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    page = PAGE.format(
        run_file=given.run_file, out=given.out, folds=crossfit.folds, seed=settings.seed, machine=machine(),
        table=markdown(HEAD, table(rows)), compared=markdown(COMPARED, comparisons(rows)),
    )  # fmt: skip
    given.out.write_text(page, encoding="utf-8")
    print(page)


def linked(crossfit: Crossfit, fold: int, systems: Mapping[str, Changes], depth: int) -> list[Row]:
    """A row for each mention of the fold, dictionary and system."""
    rows: list[Row] = []
    for number, source in enumerate(crossfit.sources):
        if not source.remembered:
            continue
        documents, title = (
            crossfit.in_fold(number, fold),
            f"{source.settings.corpora[0].stem} {' '.join(source.settings.types)}".strip(),
        )
        others = [d for f in range(crossfit.folds) if f != fold for d in crossfit.in_fold(number, f)]
        seen = {gold.surface for gold in golds_of(gold_mentions(others, types=source.settings.types))}
        golds = golds_of(gold_mentions(documents, types=source.settings.types))
        asked = list(gold_mentions(blank(documents), types=source.settings.types))
        for dictionary in (None, fold):
            for name, changes in systems.items():
                pipeline = replace(crossfit.pipeline, composites=True, depth=depth, **changes)
                linker = crossfit.linker(number, dictionary, pipeline)
                links = linker.link(asked, k=depth)
                for row, gold in zip(judged(linker, golds, links), golds, strict=True):
                    rows.append(
                        {
                            **row,
                            "task": TASKS.get(title, title),
                            "dictionary": "plain" if dictionary is None else "augmented",
                            "reranker": name,
                            "document": f"{number}/{gold.document}",
                            "unseen": gold.surface not in seen,
                        }
                    )
    return rows


def judged(linker: Linker, golds: Sequence[Any], links: Sequence[Link]) -> list[Row]:
    """Of each mention: whether it counts under each protocol, whether it is right, and its probability."""
    vocabulary = Vocabulary(linker.terminologies)
    answers = resolve_answers(predicted_of(links), vocabulary.resolve)
    offered = [(*sorted(a.concepts), *(id for part in (a, *a.parts) for id in part.order())) for a in answers]
    golds = resolve_gold(golds, offered, vocabulary.resolve)
    return [
        {
            "strict": bool(s),
            "lenient": bool(n),
            "gold": bool(gold.concepts),
            "known": bool(gold.concepts) and all(map(vocabulary.known, gold.concepts)),
            "probability": answer.probability,
        }
        for gold, answer, s, n in zip(
            golds, answers, strict(golds, answers), lenient(golds, answers), strict=True
        )
    ]


def table(rows: Sequence[Row]) -> list[list[str]]:
    """A line for each task, dictionary and reranker, and one for all tasks together."""
    lines = []
    for task, dictionary, reranker in _keys(rows):
        mine = _of(rows, task, dictionary, reranker)
        known, gold = [row for row in mine if row["known"]], [row for row in mine if row["gold"]]
        unseen = [row for row in known if row["unseen"]]
        said = [row for row in mine if row["probability"] is not None]
        error, covered = "", ""
        if reranker != "none":
            p, right = [row["probability"] for row in said], [row["strict"] for row in said]
            found = expected_calibration_error(p, right, [row["document"] for row in said])
            error = f"{found.value:.3f}"
            covered = percent(coverage_at_precision(p, right, precision=0.95, total=len(mine))[0])
        shares = [percent(float(np.mean([row[name] for row in some])))
                  for some, name in ((known, "lenient"), (unseen, "lenient"), (gold, "strict"))]  # fmt: skip
        lines.append([f"{task}, {dictionary}", reranker, f"{len(known):,}", *shares, error, covered])
    return lines


def comparisons(rows: Sequence[Row]) -> list[list[str]]:
    """What the reranker changes."""
    lines = []
    for task, dictionary, reranker in _keys(rows):
        if reranker == "none":
            continue
        pairs = list(
            zip(_of(rows, task, dictionary, "none"), _of(rows, task, dictionary, reranker), strict=True)
        )
        cells = []
        for name, counts in (("lenient", "known"), ("strict", "gold")):
            some = [(before, after) for before, after in pairs if before[counts]]
            before, after = (np.array([[pair[side][name] for pair in some]]) for side in (0, 1))
            cells.append(compared(after, before, [pair[0]["document"] for pair in some]))
        lines.append([f"{task}, {dictionary}, {reranker}", *cells])
    return lines


def _keys(rows: Sequence[Row]) -> list[tuple[str, str, str]]:
    tasks = [*dict.fromkeys(row["task"] for row in rows), "all"]
    rerankers = dict.fromkeys(row["reranker"] for row in rows)
    return [(t, d, r) for t in tasks for d in ("plain", "augmented") for r in rerankers]


def _of(rows: Sequence[Row], task: str, dictionary: str, reranker: str) -> list[Row]:
    return [
        row
        for row in rows
        if row["reranker"] == reranker and row["dictionary"] == dictionary and task in ("all", row["task"])
    ]


if __name__ == "__main__":
    main()
