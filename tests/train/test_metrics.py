"""metrics.csv and metrics.png."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="needs the train extra")

from linnet.train.metrics import append_row, draw_metrics, write_rows

ROWS = [
    {"step": 0, "seconds": 0.1234567, "learning_rate": 0.0, "acc@1": 0.5},
    {"step": 10, "seconds": 2.0, "learning_rate": 1e-5, "loss": 0.25, "acc@1": 0.75},
]


def test_rows_that_are_appended_and_rows_that_are_rewritten_are_the_same(tmp_path: Path) -> None:
    for row in ROWS:
        append_row(tmp_path / "a.csv", row)
    write_rows(tmp_path / "b.csv", ROWS)
    text = (tmp_path / "a.csv").read_text()
    assert text == "step,seconds,learning_rate,loss,acc@1\n0,0.123457,0,,0.5\n10,2,1e-05,0.25,0.75\n"
    assert (tmp_path / "b.csv").read_text() == text


def test_a_run_without_rows_yet_has_an_empty_file_that_can_be_appended_to(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.csv", [])
    append_row(tmp_path / "a.csv", ROWS[0])
    assert (tmp_path / "a.csv").read_text().startswith("step,")


@pytest.mark.parametrize(
    "rows", [ROWS, ROWS[:1], [{"step": 1, "seconds": 1.0, "learning_rate": 1.0, "loss": 2.0}]]
)
def test_the_picture_is_drawn_from_any_rows(tmp_path: Path, rows: list[dict[str, float]]) -> None:
    draw_metrics(tmp_path / "m.png", rows, title="t", best=rows[-1]["step"] if len(rows) > 1 else None)
    assert (tmp_path / "m.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
