"""The page of clinical notes: made of its template and the tables kept, with goals that say whether they are met."""

from __future__ import annotations

from typing import Any

from benchmarks.clinical.page import PAGE, TEMPLATE, Measured, kept, render, shown
from benchmarks.clinical.tables import BEFORE, NOW


def test_the_page_is_made_again_of_the_tables_that_were_kept() -> None:
    text = shown(TEMPLATE.read_text(encoding="utf-8"), kept(PAGE))
    assert text == PAGE.read_text(encoding="utf-8")
    assert len(text.split()) <= 1200


def _system(right: int) -> dict[str, Any]:
    score = {"F1": 50.0 + right, "precision": 50.0, "recall": 50.0, "found": 10}
    own = {"weak": score, "strong": score, "counts": [[right, 10, 10], [right, 10, 10]]}
    return {
        "end to end": {
            **dict.fromkeys(("all", "Disease", "Chemical"), own),
            "spans": score,
            "classes": {"abbreviation": [right, 10]},
            "sure": [right, 10],
            "calibration error": {"error": 0.05, "low": 0.04, "high": 0.07},
        },
        "traps": {"label": [1, 10], "all": [1, 100]},
        "given": {"all": [right, 10]},
        "assertion": {"micro": score},
        "dictated": {"Disease": [right, 10], "Chemical": [9, 10]},
    }


def test_goals_are_held_against_the_figures() -> None:
    measured = Measured(
        half="score",
        systems={BEFORE: _system(5), NOW: _system(8)},
        home={"abstracts": {NOW: [[2, 2, 2]], BEFORE: [[1, 2, 2]]}},
        phenotypes={"HPO notes": {NOW: 81.0}},
        lines={"notes": {"a blank line before": [0, 1, 10]}},
        speed={"recognised": 61.0},
    )
    tables = render(measured)
    rows = {row.split(" | ")[0].strip("| "): row.split(" | ")[1:] for row in tables["goals"].splitlines()}
    assert rows["short forms right end to end, %"] == ["50.0", "80.0", "≥ 60", "yes |"]
    assert rows["traps linked, %"] == ["1.0", "1.0", "≤ 4", "yes |"]
    assert rows["right at 0.9 and more, %"][-1] == "**no** |"
    assert rows["calibration error"] == ["0.050", "0.050", "≤ 0.06", "yes |"]
    assert rows["HPO notes, weak F1"] == ["–", "81.0", "≥ 82", "**no** |"]
    assert rows["abstracts a second"] == ["–", "61.0", "≥ 60", "yes |"]
    assert tables["gains"].splitlines()[2] == "| all mentions | +30.0 (+30.0 to +30.0) | ≥ 9 | yes |"
    assert "+50.0" in tables["home"]
    assert "scored once" in tables["half"]
