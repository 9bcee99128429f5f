"""Of candidates that differ in amounts and forms, the one that agrees with the text comes first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet.encode.model import open_model
from linnet.errors import DamagedError
from linnet.rerank import open_reranker
from linnet.rerank.strengths import FEATURES, StrengthReranker

DRUGS = """id,name,synonyms
1,quetiapine 25 MG Oral Tablet,quetiapine 25 MG Oral Tablet [Seroquel]
2,quetiapine 200 MG Oral Tablet,quetiapine 200 MG Oral Tablet [Seroquel]
3,quetiapine 200 MG Extended Release Oral Tablet,
4,amoxicillin 500 MG Oral Capsule,
5,amoxicillin 500 MG / clavulanate 125 MG Oral Tablet,amoxicillin 500 MG / clavulanate 125 MG Oral Tablet [Augmentin]
6,amoxicillin 250 MG Oral Capsule,
7,ibuprofen 20 MG/ML Oral Suspension,
8,ibuprofen 40 MG/ML Oral Suspension,
"""


@pytest.fixture(scope="module")
def drugs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("drugs")
    (place / "drugs.csv").write_text(DRUGS, encoding="utf-8")
    linnet.build(place / "drugs.csv", place / "drugs", prefix="DRUG", threads=1)
    return place / "drugs"


def test_the_names_choose_the_pipeline(drugs: Path) -> None:
    pipeline = linnet.open_terminology(drugs).pipeline
    assert (pipeline["reranker"], pipeline["amounts"], pipeline["composites"]) == ("strengths", True, False)


def test_a_reranker_that_is_named_takes_precedence(tmp_path: Path) -> None:
    (tmp_path / "drugs.csv").write_text(DRUGS, encoding="utf-8")
    terminology = linnet.build(
        tmp_path / "drugs.csv", tmp_path / "d", prefix="DRUG", reranker="none", threads=1
    )
    assert terminology.pipeline.get("reranker", "") is None
    assert "amounts" not in terminology.pipeline


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("quetiapine 0.2 g tab", "DRUG:2"), ("Seroquel 25mg", "DRUG:1"), ("200 mg seroquel tablets", "DRUG:2"),
        ("quetiapine extended release 200 mg", "DRUG:3"), ("caps amoxicillin 0,25 g", "DRUG:6"),
        ("amoxicillin 500mg capsules", "DRUG:4"), ("Augmentin 500/125", "DRUG:5"), ("ibuprofen susp 100 mg/5 ml", "DRUG:7"),
        ("ibuprofen susp 200mg / 5ml", "DRUG:8"),
    ],
)  # fmt: skip
def test_amounts_decide(drugs: Path, text: str, right: str) -> None:
    linker = linnet.load(drugs, threads=1)
    [link] = linker.link([text])
    assert link.concept == right, link
    assert link.probability is not None
    # The same beside other texts.
    assert linker.link(["x", text, "gout 5 mg"])[1].probability == link.probability


def test_without_an_amount_the_answer_is_less_sure(drugs: Path) -> None:
    linker = linnet.load(drugs, threads=1)
    vague, exact = linker.link(["quetiapine", "quetiapine 200 MG Oral Tablet"])
    assert exact.concept == "DRUG:2"
    assert (vague.probability or 0.0) < (exact.probability or 0.0)


def test_a_model_folder_is_read_as_it_was_written(tmp_path: Path) -> None:
    StrengthReranker(np.arange(len(FEATURES), dtype=float)).save(tmp_path / "mine")
    opened = open_reranker(tmp_path / "mine")
    assert isinstance(opened, StrengthReranker)
    assert opened.weights.tolist() == list(range(len(FEATURES)))
    assert opened.digest == open_model(tmp_path / "mine").digest
    (tmp_path / "mine" / "weights.json").write_text("{}")
    with pytest.raises(DamagedError):
        open_reranker(tmp_path / "mine")
