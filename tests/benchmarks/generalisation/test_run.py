"""What the command refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def _run(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.generalisation.run", *arguments]
    environment = {**os.environ, "LINNET_DATA": str(data)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_strings_that_are_scored_once_need_a_flag(tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    done = _run(tmp_path, "--only", "registry-score", "--out", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "add --score" in done.stderr
    assert not (tmp_path / "out").exists()


def test_absent_data_are_named(tmp_path: Path) -> None:
    done = _run(tmp_path)
    assert done.returncode == 1
    assert "Set LINNET_DATA" in done.stderr
