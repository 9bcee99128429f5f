"""A program that is ended from outside has its last words said for it."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

START = """
import os, sys
from linnet.scale.engines.exit_notice import notice_if_killed
with notice_if_killed("Ended. Run it again with --resume."):
    {body}
"""


def run(body: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", START.format(body=body)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(("body", "code"), [("os._exit(1)", 1), ("os.kill(os.getpid(), 9)", -signal.SIGKILL)])
def test_a_program_that_is_ended_from_outside_python_is_spoken_for(body: str, code: int) -> None:
    assert run(body) == (code, "Ended. Run it again with --resume.\n")


@pytest.mark.parametrize(("body", "code"), [("pass", 0), ("sys.exit(3)", 3)])
def test_a_program_that_ends_by_itself_speaks_for_itself(body: str, code: int) -> None:
    assert run(body) == (code, "")
