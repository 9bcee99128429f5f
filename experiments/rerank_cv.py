"""Cross-validates a listwise reranker inside train: every fold is linked by a model that saw the others.

    python experiments/rerank_cv.py experiments/context.toml OUT [--set scorer.hidden=0 …]

For each outer fold the run file's task is trained without it, another fold choosing weights and calibrator; then its
documents are linked by the whole linker, with and without the reranker, with the terminology as it is and with the other
folds' mentions as names. OUT gets report.md and report.json: accuracy under each protocol, all mentions and those whose
surface no other fold has, calibration error, and coverage at 95 % precision. Nothing outside train is read.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from linnet.evaluate.accuracy import lenient, strict
from linnet.evaluate.calibration import coverage_at_precision, expected_calibration_error
from linnet.evaluate.gold import gold_mentions, golds_of, predicted_of
from linnet.evaluate.resolution import settle, settled_answers
from linnet.evaluate.system import blank
from linnet.evaluate.vocabulary import Vocabulary
from linnet.link import Linker
from linnet.train.crossfit import Crossfit
from linnet.train.run import read_run
from linnet.train.tasks.listwise import ListwiseSettings, ListwiseTask, crossfit_of
from linnet.types import Link

Row = dict[str, Any]


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
    crossfit = crossfit_of(settings)
    lists = list(crossfit.lists())
    rows: list[Row] = []
    for fold in given.folds or range(crossfit.folds):
        inner = replace(settings.data, left_out=fold, held_out=(fold + 1) % crossfit.folds)
        torch.manual_seed(settings.seed)
        task = ListwiseTask(replace(settings, data=inner), crossfit, lists)
        scores = fit(task, settings)
        print(f"fold {fold}: {scores}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            task.save(Path(folder) / "m", card="", training={})
            rows += linked(
                crossfit, fold, {"none": None, "listwise": str(Path(folder) / "m")}, inner.candidates
            )
    given.out.mkdir(parents=True, exist_ok=True)
    table = summary(rows)
    (given.out / "report.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    (given.out / "report.md").write_text(markdown(table), encoding="utf-8")
    print(markdown(table))


def fit(task: ListwiseTask, settings: ListwiseSettings) -> dict[str, float]:
    """Train as the loop does, without checkpoints; the best weights on the fold held out are kept."""
    loop, optimiser = settings.loop, task.optimiser()
    peaks = [group["lr"] for group in optimiser.param_groups]
    best, kept, scores = -1.0, {}, {}
    for step in range(loop.steps):
        rise = min(1.0, (step + 1) / max(1, loop.warm_up))
        fall = 1 - max(0, step - loop.warm_up) / max(1, loop.steps - loop.warm_up)
        for group, peak in zip(optimiser.param_groups, peaks, strict=True):
            group["lr"] = peak * (rise if step < loop.warm_up else fall)
        optimiser.zero_grad()
        task.loss(step).backward()
        optimiser.step()
        if (step + 1) % loop.evaluate_every == 0:
            task.module.eval()
            with torch.no_grad():
                now = task.evaluate()
            task.module.train()
            if next(iter(now.values())) > best:
                best, scores = next(iter(now.values())), now
                kept = {name: tensor.clone() for name, tensor in task.module.state_dict().items()}
    task.module.load_state_dict(kept)
    task.module.eval()
    return {name: round(value, 4) for name, value in scores.items()}


def linked(crossfit: Crossfit, fold: int, rerankers: dict[str, str | None], depth: int) -> list[Row]:
    """A row for each mention of the fold, dictionary and reranker."""
    rows: list[Row] = []
    for number, source in enumerate(crossfit.sources):
        documents = crossfit.in_fold(number, fold)
        others = [d for f in range(crossfit.folds) if f != fold for d in crossfit.in_fold(number, f)]
        seen = {gold.surface for gold in golds_of(gold_mentions(others, types=source.types))}
        golds = golds_of(gold_mentions(documents, types=source.types))
        asked = list(gold_mentions(blank(documents), types=source.types))
        for dictionary in (None, fold):
            for name, reranker in rerankers.items():
                pipeline = replace(crossfit.pipeline, composites=True, reranker=reranker, depth=depth)
                linker = crossfit.linker(number, dictionary, pipeline)
                links = linker.link(asked, k=depth)
                for row, gold in zip(judged(linker, golds, links), golds, strict=True):
                    rows.append(
                        {
                            **row,
                            "task": f"{source.corpora[0].stem} {' '.join(source.types)}".strip(),
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
    answers = settled_answers(predicted_of(links), vocabulary.resolve)
    offered = [(*sorted(a.concepts), *(id for part in (a, *a.parts) for id in part.order())) for a in answers]
    golds = settle(golds, offered, vocabulary.resolve)
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


def summary(rows: Sequence[Row]) -> list[Row]:
    """A line for each task, dictionary and reranker, and one for all tasks together."""
    table = []
    names = [*dict.fromkeys(row["task"] for row in rows), "all"]
    for task in names:
        for dictionary in ("plain", "augmented"):
            for reranker in dict.fromkeys(row["reranker"] for row in rows):
                mine = [
                    row
                    for row in rows
                    if row["dictionary"] == dictionary
                    and row["reranker"] == reranker
                    and task in ("all", row["task"])
                ]
                known, gold = [row for row in mine if row["known"]], [row for row in mine if row["gold"]]
                unseen = [row for row in known if row["unseen"]]
                line: Row = {
                    "task": task,
                    "dictionary": dictionary,
                    "reranker": reranker,
                    "mentions": len(known),
                    "lenient": mean(known, "lenient"),
                    "unseen lenient": mean(unseen, "lenient"),
                    "strict": mean(gold, "strict"),
                }
                said = [row for row in mine if row["probability"] is not None]
                if said:
                    p, right = [row["probability"] for row in said], [row["strict"] for row in said]
                    error = expected_calibration_error(p, right, [row["document"] for row in said])
                    line["ECE"], line["ECE high"] = error.value, error.high
                    line["coverage at 95 %"] = coverage_at_precision(
                        p, right, precision=0.95, total=len(mine)
                    )[0]
                table.append(line)
    return table


def mean(rows: Sequence[Row], name: str) -> float:
    """Percent."""
    return round(100 * float(np.mean([row[name] for row in rows])), 2) if rows else float("nan")


def markdown(table: Sequence[Row]) -> str:
    """The table."""
    head = list(dict.fromkeys(name for line in table for name in line))
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for line in table:
        cells = [line.get(name, "") for name in head]
        lines.append("| " + " | ".join(f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
