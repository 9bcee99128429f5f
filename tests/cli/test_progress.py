"""Long runs show rate, share and time left: a bar on a terminal, elsewhere a line every 30 seconds."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.test_train import written_to
from typer.testing import CliRunner

from linnet.cli import app, progress
from linnet.corpora.size import document_count


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets time pass."""
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])

    def wait(seconds: float) -> None:
        now[0] += seconds

    return wait


def test_a_log_gets_a_line_every_30_seconds(
    clock: Callable[[float], None], capsys: pytest.CaptureFixture[str]
) -> None:
    for number in progress.counting(range(4800), "documents", total=4800):
        if number < 2400:
            clock(0.025)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "documents: 1,200/4,800 (25 %) · 40/s · 0:01:30 left",
        "documents: 2,400/4,800 (50 %) · 40/s · 0:01:00 left",
    ]


def test_without_a_total_the_time_taken_is_told(
    clock: Callable[[float], None], capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in progress.counting(range(3), "documents"):
        clock(20)
    assert capsys.readouterr().err == "documents: 2 · 0.05/s · 0:00:40\n"


def test_a_short_run_says_nothing_more(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress.counting(range(1000), "documents", total=1000)) == list(range(1000))
    assert capsys.readouterr().err == ""


def test_a_resumed_training_counts_from_its_checkpoint(
    clock: Callable[[float], None], capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.training("model", 1000) as steps:
        steps.planned(2000)
        for step in range(1000, 1101):
            steps.stepped(step, 0.5)
            clock(0.5)
    assert capsys.readouterr().err == "model: 1,060/2,000 (53 %) · 2/s · 0:07:50 left · loss 0.5\n"


def test_a_terminal_sees_rate_share_and_time_left(
    clock: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "120")
        with progress.building() as advanced:
            advanced("dense", 0, 200)
            clock(10)
            advanced("dense", 50, 200)
    assert "50/200 (25 %) · 5/s · 0:00:30 left" in written_to(ours).decode()


@pytest.mark.parametrize(
    ("name", "content", "by_line", "count"),
    [
        ("a.csv", "x\n1\n2\n", False, 3),
        ("a.jsonl", "{}\n{}\n", False, 2),
        ("a.pubtator", "1|t|A\n1|a|B\n\n2|t|C\n2|a|D\n", False, 2),
        ("a.txt", "gout\nasthma\n", True, 2),
        ("a.txt", "Running text.\nOf two lines.\n", False, None),
        ("a.xml", "<a/>\n", False, None),
    ],
)
def test_the_number_of_documents_is_known_before_they_are_read(
    tmp_path: Path, name: str, content: str, by_line: bool, count: int | None
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert document_count(tmp_path / name, by_line=by_line) == count
    assert document_count("-") is None


def test_link_and_evaluate_tell_how_far_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    (tmp_path / "a.pubtator").write_text(
        "1|t|Gout\n1|a|Asthma.\n1\t0\t4\tGout\tDisease\tD006073\n\n2|t|Asthma\n2|a|Gout.\n2\t0\t6\tAsthma\tDisease\tD001249\n\n",
        encoding="utf-8",
    )
    done = CliRunner().invoke(app, ["link", str(tmp_path / "a.pubtator"), "--mentions", "-t", "starter"])
    assert "documents: 2/2 (100 %)" in done.stderr
    done = CliRunner().invoke(
        app, ["evaluate", str(tmp_path / "a.pubtator"), "-t", "starter", "--protocol", "strict,end-to-end"]
    )
    assert done.exit_code == 0, done.stderr
    assert "documents: 2/2 (100 %)" in done.stderr
    assert "mentions: 2/2 (100 %)" in done.stderr


def test_an_estimate_that_was_too_low_is_dropped(
    clock: Callable[[float], None], capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in progress.counting(range(4), "documents", total=2):
        clock(20)
    assert (
        capsys.readouterr().err
        == "documents: 2/2 (100 %) · 0.05/s · 0:00:00 left\ndocuments: 4 · 0.05/s · 0:01:20\n"
    )
