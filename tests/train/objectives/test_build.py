"""Objectives from run files: what is built, and what is said of a mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from linnet.errors import DataError, RequestError, UnknownNameError  # noqa: E402
from linnet.train.objectives import HardPairs, objectives  # noqa: E402
from linnet.train.objectives.build import build_objective, presets  # noqa: E402
from linnet.train.run import read_run  # noqa: E402

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


@pytest.mark.parametrize(
    ("task", "objective", "message"),
    [
        ("synonyms", '{kind = "multi-simlarity"}', "Did you mean 'multi-similarity'"),
        ("synonyms", "{kind = 3}", "'objective.kind' is 3; expected a string"),
        (
            "synonyms",
            '{kind = "name-triplet"}',
            "'name-triplet' is not for this task. Choose the kind from: circle",
        ),
        ("mention-synonyms", '{preset = "dilbert"}', "Did you mean 'dilbert-release'"),
        (
            "mentions",
            '{kind = "circle"}',
            "'circle' is not for this task. Choose the kind from: name-triplet.",
        ),
        ("two-tower", '{kind = "in-batch", margin = 1}', "'objective.margin' is not a key"),
        ("dual", '{kind = "nca"}', "'nca' is not for this task. Choose the kind from: prototype"),
        ("dual", '{kind = "prototype", radius = "auto"}', "'objective.radius' is not a key"),
    ],
)
def test_mistakes_of_the_objective_are_named_with_the_others_of_a_run_file(
    tmp_path: Path, task: str, objective: str, message: str
) -> None:
    file = tmp_path / "run.toml"
    file.write_text(f'task = "{task}"\noutput = "out"\nsed = 1\nobjective = {objective}\n')
    with pytest.raises(DataError) as refused:
        read_run(file)
    assert "'sed' is not a key; did you mean 'seed'?" in str(refused.value)
    assert message in str(refused.value)


def test_a_radius_may_be_left_to_the_task(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(
        'task = "dual"\noutput = "out"\nobjective = {kind = "prototype-soft-radius", radius = "auto"}\n'
        'data = {terminology = "t", corpora = ["c"]}\nencoder = {kind = "transformer"}\n'
    )
    settings, _ = read_run(file)
    assert settings.objective["radius"] == "auto"  # type: ignore[attr-defined]
