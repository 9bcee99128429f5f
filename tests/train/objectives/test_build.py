"""Objectives from run files: what is built, and what is said of a mistake."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from linnet.errors import DataError, RequestError, UnknownNameError  # noqa: E402
from linnet.train.objectives import HardPairs, objectives  # noqa: E402
from linnet.train.objectives.build import build_objective, presets  # noqa: E402

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("kind", objectives)
def test_every_objective_is_built_from_its_name(kind: str) -> None:
    assert type(build_objective({"kind": kind})) is objectives[kind]


@pytest.mark.parametrize("preset", presets)
def test_every_preset_is_built_for_each_of_its_kinds(preset: str) -> None:
    assert type(build_objective({"preset": preset})) is objectives[next(iter(presets[preset]))]
    for kind in presets[preset]:
        assert type(build_objective({"preset": preset, "kind": kind})) is objectives[kind]


def test_mining_is_a_switch_with_options_of_its_own() -> None:
    assert build_objective({"kind": "info-nce"}).mining is None
    assert build_objective({"kind": "multi-similarity"}).mining == HardPairs(0.2, False)
    mined = build_objective({"kind": "info-nce", "mining": True, "mining_margin": 0.1, "mining_paper": True})
    assert mined.mining == HardPairs(0.1, True)
    assert build_objective({"kind": "multi-similarity", "mining": False}).mining is None


def test_options_of_the_table_win_over_the_presets() -> None:
    assert build_objective({"preset": "dilbert-release"}).margin == 5.0
    assert build_objective({"preset": "dilbert-release", "margin": 2}).margin == 2.0
    built = build_objective({"preset": "le-nguyen-release", "kind": "triplet-all"})
    assert (built.margin, built.squared) == (1.15, False)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        ({}, RequestError, r"\[objective\] has no kind.*Choose from: circle"),
        ({"kind": "info-nse"}, UnknownNameError, "Did you mean 'info-nce'"),
        ({"preset": "dilbert"}, UnknownNameError, "Did you mean 'dilbert-release'"),
        ({"kind": "nca", "preset": "dilbert-release"}, RequestError, "is for name-triplet"),
        ({"kind": "info-nce", "temprature": 1}, DataError, "did you mean 'objective.temperature'"),
        ({"kind": "info-nce", "temperature": "hot"}, DataError, "expected a number"),
        ({"kind": "name-triplet", "distance": "cos"}, DataError, "one of 'euclidean', 'cosine'"),
        ({"kind": "name-triplet", "mining": True}, DataError, "'objective.mining' is not a key"),
    ],
)
def test_mistakes_are_answered_with_what_is_valid(
    table: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        build_objective(table)
