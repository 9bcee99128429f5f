"""Folds that a cross-validation links: of the corpora whose mentions are remembered, whatever else is learnt from."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.torch

pytest.importorskip("torch", reason="needs the train extra")

from folds_linked import linked  # noqa: E402
from tests.train.tasks import first_rerankers  # noqa: E402

from linnet.io.settings_files import settings_from  # noqa: E402
from linnet.train.tasks.listwise import ListwiseSettings, open_crossfit  # noqa: E402
from linnet.types import Concept  # noqa: E402

CONCEPTS = [
    Concept("T:0", "kidney failure", ("renal failure", "failing kidneys"), ("Disease",)),
    Concept("T:1", "renal cyst", ("cyst of the kidney",), ("Disease",)),
    Concept("T:2", "gout", ("podagra",), ("Disease",)),
]
SENTENCES = [("He had renal failure.", "renal failure", "T:0"), ("His toe showed gout.", "gout", "T:2")]


def test_names_held_out_are_only_learnt_from(tmp_path: Path) -> None:
    data = {**first_rerankers.data(tmp_path, candidates=2), "encoder": "ngram"}
    first_rerankers.fill(tmp_path, CONCEPTS, SENTENCES, data)
    [corpus] = data["sources"]
    sources = [
        corpus,
        {**corpus, "remembered": False},
        {"terminology": corpus["terminology"], "names": 3},
    ]
    run = {"task": "listwise", "output": "out", "data": {**data, "sources": sources}}
    crossfit = open_crossfit(settings_from(run, ListwiseSettings).data, threads=1)
    rows = linked(crossfit, 0, {"none": {"reranker": None, "depth": 2}}, k=2)
    assert len(rows) == 2 * len(crossfit.in_fold(0, 0))  # plain and augmented
    assert {row["task"] for row in rows} == {"c"}
    assert all(row["lenient"] for row in rows)
