"""Cross-validates a listwise reranker inside train: every fold is linked by a model that saw the others.

    python experiments/rerank_cv.py experiments/context.toml docs/results/context.md

Corpora whose mentions are remembered are linked; the others, and names held out, are only learnt from.
For each outer fold the run file's task is trained without it, another fold choosing weights and calibrator; then its
documents are linked by the whole linker, with and without the reranker, with the terminology as it is and with the other
folds' mentions as names. The page says: accuracy under each protocol, of all mentions and of those whose surface no other
fold has, calibration error, and coverage at 95 % precision. Nothing outside train is read.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from folds_linked import COMPARED, Changes, Row, comparisons, keys, linked, rows_of
from harness import parser_of, write_page
from result_tables import markdown, percent

from linnet.evaluate.calibration import coverage_at_precision, expected_calibration_error
from linnet.train.loop import train
from linnet.train.run import read_run
from linnet.train.tasks.listwise import ListwiseSettings, ListwiseTask, fold_examples, open_crossfit

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


def main() -> None:
    """Run what the module says."""
    parser = parser_of(__doc__)
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
            depth = inner.candidates
            systems: dict[str, Changes] = {
                "none": {"reranker": None, "depth": depth},
                "context": {"reranker": model, "depth": depth},
                "context, no memory": {"reranker": model, "depth": depth, "memory": False},
            }
            rows += linked(crossfit, fold, systems, k=depth)
    tables = {
        "folds": str(crossfit.folds),
        "seed": str(settings.seed),
        "table": markdown(HEAD, table(rows)),
        "compared": markdown(COMPARED, comparisons(rows)),
    }
    write_page(given.out, None, tables, timed=True)


def table(rows: Sequence[Row]) -> list[list[str]]:
    """A line for each task, dictionary and reranker, and for all tasks together."""
    lines = []
    for task, dictionary, reranker in keys(rows):
        mine = rows_of(rows, task, dictionary, reranker)
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


if __name__ == "__main__":
    main()
