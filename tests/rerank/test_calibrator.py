"""Scores to probabilities: rising, true to the links they were fitted on, and kept on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linnet.errors import DamagedError, RequestError, StoreError
from linnet.rerank.calibrator import Calibrator, Curve, fit_curve
from linnet.retrieve.hits import Hits, Origin


def test_a_curve_rises_and_tells_how_often_links_are_right() -> None:
    rng = np.random.default_rng(0)
    scores = rng.random(4000)
    right = rng.random(4000) < scores**2
    curve = fit_curve(scores.tolist(), right.tolist())
    at = np.linspace(0, 1, 21)
    assert (np.diff(curve.at(at)) >= 0).all()
    assert np.abs(curve.at(at) - at**2).max() < 0.12
    assert np.abs(curve.at(scores) - scores**2).mean() < 0.03


def test_equal_scores_get_one_probability_and_certainty_is_never_claimed() -> None:
    curve = fit_curve([0.5] * 98, [True] * 98)
    assert curve.at([0.1, 0.5, 0.9]).tolist() == pytest.approx([0.99] * 3)


def test_a_doubt_about_the_reading_is_not_counted_twice() -> None:
    rng = np.random.default_rng(0)
    scores, read = rng.random(20_000), rng.choice([0.4, 0.9], 20_000)
    right = rng.random(20_000) < scores * read
    curve = fit_curve(scores.tolist(), right.tolist(), read.tolist())
    assert np.abs(curve.at(scores) - scores).mean() < 0.03
    assert np.mean(curve.at(scores) * read) == pytest.approx(right.mean(), abs=0.01)
    twice = fit_curve(scores.tolist(), right.tolist())
    assert np.mean(twice.at(scores) * read) < 0.8 * right.mean()


def test_nothing_to_fit_on_is_said() -> None:
    with pytest.raises(RequestError, match="No link to calibrate on"):
        fit_curve([], [])


def hits_of(*scores: float, reranked: bool) -> Hits:
    hits = Hits.empty(len(scores), 1)
    for row, score in enumerate(scores):
        if score >= 0:
            hits.concepts[row], hits.names[row], hits.scores[row] = row, row, score
            hits.origins[row] = Origin.RERANKED if reranked else Origin.CHAR
    return hits


def test_each_way_has_its_curve_and_without_one_nothing_is_said() -> None:
    calibrator = Calibrator({"reranked": Curve((0.0, 1.0), (0.2, 0.8))})
    assert calibrator.probabilities(hits_of(0.5, -1, reranked=True)) == [0.5, None]
    assert calibrator.probabilities(hits_of(0.5, -1, reranked=False)) == [None, None]
    assert calibrator.of_set(0.25) == 0.25
    assert Calibrator({"set": Curve((0.0, 1.0), (0.2, 0.6))}).of_set(0.5) == pytest.approx(0.4)
    assert Calibrator().probabilities(Hits.empty(2, 0)) == [None, None]


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    calibrator = Calibrator({"retrieved": Curve((0.25, 0.75), (0.1, 0.9))})
    calibrator.save(tmp_path / "calibrator.json")
    assert Calibrator.open(tmp_path) == Calibrator.open(tmp_path / "calibrator.json") == calibrator
    assert Calibrator.open(tmp_path).digest == calibrator.digest


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"other": {"scores": [0], "probabilities": [0]}}',
             '{"retrieved": {"scores": [1, 0], "probabilities": [0, 1]}}', '{"retrieved": {"scores": []}}']
)  # fmt: skip
def test_a_damaged_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "calibrator.json").write_text(text, encoding="utf-8")
    with pytest.raises(DamagedError, match="is not a calibrator"):
        Calibrator.open(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist; expected a calibrator"):
        Calibrator.open(tmp_path)
