"""The curve for sets: fitted to what composed strings were divided into, and put into a model without changing the rest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from linnet.encode.model import open_model
from linnet.encode.named_models import model_place
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.rerank.calibrator import Calibrator, Curve
from linnet.terminology import write_terminology
from linnet.train.composed_strings import ComposedString
from linnet.train.set_curve import fit_set_curve, judge_sets, with_set_curve
from linnet.types import Concept

STRINGS = (
    ComposedString("asthma; eczema", ("T:1", "T:2"), "list"),
    ComposedString("eczema | gout", ("T:1", "T:2"), "list"),
    ComposedString("asthma / gout", ("T:1",), "qualified"),
    ComposedString("gout", ("T:3",), "name"),
)


@pytest.fixture
def linker(tmp_path: Path) -> Linker:
    concepts = [Concept("T:1", "Asthma"), Concept("T:2", "Eczema"), Concept("T:3", "Gout")]
    terminology = write_terminology(concepts, tmp_path / "t")
    build_indexes(terminology, Pipeline().retrievers)
    Calibrator({"retrieved": Curve((0.0, 1.0), (0.0, 1.0))}).save(tmp_path / "calibrator.json")
    return Linker.open([terminology], pipeline=Pipeline(reranker=None, calibrator=str(tmp_path)))


def test_only_what_was_divided_is_judged_and_single_things_count_more(linker: Linker) -> None:
    judged = judge_sets(linker, STRINGS)
    assert [right for _, right in judged] == [True, False, *4 * [False]]
    assert all(0 < probability <= 1 for probability, _ in judged)
    assert fit_set_curve(judged).at([0.9])[0] < 0.5


def test_a_curve_goes_into_a_model_and_out_again(tmp_path: Path) -> None:
    folder = tmp_path / "context"
    shutil.copytree(model_place("context"), folder)
    before = open_model(folder)
    with_set_curve(folder, Curve((0.2, 0.8), (0.1, 0.7)))
    assert Calibrator.open(folder).of_set(0.8) == 0.7
    assert open_model(folder) == before
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card == (model_place("context") / "README.md").read_text(encoding="utf-8")
    with_set_curve(folder, None)
    assert "set" not in Calibrator.open(folder).curves
    assert open_model(folder) == before
