"""How rerankers of a cross-validation link the folds that they have not seen: a row for each mention, and what reranking changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from result_tables import compared

from linnet.evaluate.accuracy import lenient, strict
from linnet.evaluate.gold import gold_mentions, golds_of, predicted_of
from linnet.evaluate.resolution import resolve_answers, resolve_gold
from linnet.evaluate.system import blank
from linnet.evaluate.vocabulary import Vocabulary
from linnet.link import Linker
from linnet.train.crossfit import Crossfit
from linnet.types import Link

__all__ = ["COMPARED", "Changes", "Row", "comparisons", "keys", "linked", "rows_of"]

Row = dict[str, Any]
Changes = dict[str, Any]  # fields of the pipeline
TASKS = {"NCBItrainset_corpus": "NCBI", "CDR_TrainingSet.PubTator Disease": "BC5CDR disease",
         "CDR_TrainingSet.PubTator Chemical": "BC5CDR chemical"}  # fmt: skip
COMPARED = ("", "lenient", "strict")
"""Head of the table of `comparisons`."""


def linked(crossfit: Crossfit, fold: int, systems: Mapping[str, Changes], *, k: int) -> list[Row]:
    """A row for each mention of the fold, dictionary and system, of the sources whose mentions are remembered.

    systems  name → fields in which its pipeline differs from that of `crossfit`
    k        candidates of a mention
    """
    rows: list[Row] = []
    for number, source in enumerate(crossfit.sources):
        if not source.remembered:
            continue
        documents = crossfit.in_fold(number, fold)
        title = f"{source.settings.corpora[0].stem} {' '.join(source.settings.types)}".strip()
        others = [d for f in range(crossfit.folds) if f != fold for d in crossfit.in_fold(number, f)]
        seen = {gold.surface for gold in golds_of(gold_mentions(others, types=source.settings.types))}
        golds = golds_of(gold_mentions(documents, types=source.settings.types))
        asked = list(gold_mentions(blank(documents), types=source.settings.types))
        for dictionary in (None, fold):
            for name, changes in systems.items():
                pipeline = replace(crossfit.pipeline, composites=True, **changes)
                linker = crossfit.linker(number, dictionary, pipeline)
                links = linker.link(asked, k=k)
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


def comparisons(rows: Sequence[Row]) -> list[list[str]]:
    """A line for each task, dictionary and reranker: what it changes, with intervals; see `COMPARED`."""
    lines = []
    for task, dictionary, reranker in keys(rows):
        if reranker == "none":
            continue
        pairs = list(
            zip(
                rows_of(rows, task, dictionary, "none"),
                rows_of(rows, task, dictionary, reranker),
                strict=True,
            )
        )
        cells = []
        for name, counts in (("lenient", "known"), ("strict", "gold")):
            some = [(before, after) for before, after in pairs if before[counts]]
            before, after = (np.array([[pair[side][name] for pair in some]]) for side in (0, 1))
            cells.append(compared(after, before, [pair[0]["document"] for pair in some]))
        lines.append([f"{task}, {dictionary}, {reranker}", *cells])
    return lines


def keys(rows: Sequence[Row]) -> list[tuple[str, str, str]]:
    """Task ("all" after the others), dictionary and reranker of each line of a table."""
    tasks = [*dict.fromkeys(row["task"] for row in rows), "all"]
    rerankers = dict.fromkeys(row["reranker"] for row in rows)
    return [(t, d, r) for t in tasks for d in ("plain", "augmented") for r in rerankers]


def rows_of(rows: Sequence[Row], task: str, dictionary: str, reranker: str) -> list[Row]:
    """The rows behind one line of a table."""
    return [
        row
        for row in rows
        if row["reranker"] == reranker and row["dictionary"] == dictionary and task in ("all", row["task"])
    ]
