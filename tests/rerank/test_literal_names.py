"""How sure literal names are: the facts, the fit, and the calibrator that stores it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linnet.errors import DamagedError
from linnet.rerank.calibrator import FILE, Calibrator, Curve
from linnet.rerank.literal_names import FACTS, LiteralNames, fit_literal_names, literal_facts
from linnet.retrieve.hits import Origin

EXACT, DENSE = int(Origin.EXACT), int(Origin.DENSE)


def facts(
    text: str, name: str, preferred: str, scores: list[float], origins: list[int], *shares: float
) -> dict[str, float]:
    of_candidates = np.array([scores], np.float32), np.array([origins], np.uint16)
    [row] = literal_facts([text], [name], [preferred], *of_candidates, np.array([shares or (np.nan,)]))
    return {fact: round(float(value), 3) for fact, value in zip(FACTS, row, strict=True) if value}


def test_the_facts_of_a_literal_name() -> None:
    long = "a name of many characters"
    assert facts(long, long, long.title(), [1.0, 0.4], [EXACT, DENSE]) == {"nearest other": 0.4}
    assert facts("Tm", "tm", "Thulium", [1.0], [EXACT]) == {
        "synonym": 1, "short synonym": 1, "other case": 1,
    }  # fmt: skip
    respelt = facts("gouty", "gout", "gout", [0.95, 0.9, 0.5], [EXACT | Origin.SPELLING, EXACT, DENSE])
    assert respelt == {"shared": 1, "respelt": 1, "nearest other": 0.5}
    other = facts("gout", "gout", "gout", [1.0, 0.5], [EXACT, DENSE], 0.0, 1.0)
    assert other == {"nearest other": 0.5, "meant otherwise": 1}
    assert facts("gout", "gout", "gout", [1.0, 0.5], [EXACT, 0], 0.75, 0.75) == {
        "nearest other": 0.5,
        "meant": 0.75,
    }
    # What was meant is no candidate: another terminology has other concepts.
    assert facts("gout", "gout", "gout", [1.0], [EXACT], 0.0) == {}


def test_the_fit_follows_the_data_and_only_memory_raises_a_probability() -> None:
    rng = np.random.default_rng(0)
    known = (rng.random((4000, len(FACTS))) < 0.5).astype(float)
    risky, harmless, meant = (FACTS.index(fact) for fact in ("respelt", "synonym", "meant"))
    # Respelt words are often wrong; synonyms are even surer than other names, and so is what was meant in training.
    right = rng.random(4000) < 0.85 - 0.3 * known[:, risky] + 0.05 * known[:, [harmless, meant]].sum(axis=1)
    model = fit_literal_names(known, right.tolist())
    assert model.is_sound()
    assert model.weights["synonym"] == 0 < model.weights["meant"]
    for value in (0.0, 1.0):
        here = known[:, risky] == value
        assert model.at(known[here]).mean() == pytest.approx(right[here].mean(), abs=0.01)


def test_what_counts_more_decides_more() -> None:
    known, right = np.zeros((800, len(FACTS))), [number % 4 > 0 for number in range(800)]
    assert fit_literal_names(known, right).at(known[:1]) == pytest.approx([0.75], abs=0.01)
    counts = np.where(right, 1.0, 3.0)
    assert fit_literal_names(known, right, counts).at(known[:1]) == pytest.approx([0.5], abs=0.01)


def test_a_calibrator_keeps_it_and_one_without_opens_as_before(tmp_path: Path) -> None:
    curves = {"retrieved": Curve((0.5,), (0.9,))}
    literal = LiteralNames(4.0, dict.fromkeys(FACTS, -1.0))
    for calibrator in (Calibrator(curves), Calibrator(curves, literal)):
        calibrator.save(tmp_path / FILE)
        assert Calibrator.open(tmp_path) == calibrator
    assert Calibrator(curves).digest != Calibrator(curves, literal).digest


@pytest.mark.parametrize("weights", [{}, dict.fromkeys(FACTS, 1.0), {**dict.fromkeys(FACTS, -1.0), "x": 0.0}])
def test_a_model_of_other_facts_or_rising_weights_is_refused(
    tmp_path: Path, weights: dict[str, float]
) -> None:
    Calibrator({}, LiteralNames(4.0, weights)).save(tmp_path / FILE)
    with pytest.raises(DamagedError, match="literal names"):
        Calibrator.open(tmp_path)


def test_the_shipped_calibrators_are_surest_of_what_was_meant_in_training() -> None:
    import linnet.models

    for name in ("context", "accurate"):
        literal = Calibrator.open(Path(linnet.models.__path__[0]) / name).literal
        assert literal is not None
        rows = np.zeros((5, len(FACTS)))
        rows[:, FACTS.index("nearest other")] = 0.8
        rows[0, FACTS.index("meant")] = 1
        rows[2:4, FACTS.index("synonym")] = 1
        rows[3, [FACTS.index("short synonym"), FACTS.index("other case")]] = 1
        rows[4, FACTS.index("meant otherwise")] = 1
        known, preferred, synonym, short, other = literal.at(rows).tolist()
        assert known > 0.98 > preferred > 0.95 > synonym > 0.9 > max(short, other)
