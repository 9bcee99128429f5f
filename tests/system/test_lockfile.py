"""A lock file is held by one process at a time and released however that process ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from linnet.errors import RequestError
from linnet.system.lockfile import locked

BUSY = RequestError("Another one has it. Wait.")
HOLD = """
import sys, time
from pathlib import Path
from linnet.errors import RequestError
from linnet.system.lockfile import locked
with locked(Path(sys.argv[1]), busy=RequestError("busy")):
    print("held", flush=True)
    time.sleep(600)
"""


def test_another_process_is_refused_until_the_holder_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(RequestError, match="Another one has it"), locked(file, busy=BUSY):
            pass
        other.kill()
    with locked(file, busy=BUSY):
        pass


def test_it_is_free_again_after_the_block(tmp_path: Path) -> None:
    for _ in range(2):
        with locked(tmp_path / "lock", busy=BUSY):
            pass


def test_without_fcntl_the_lock_of_windows_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    held = False

    def locking(file: int, mode: int, length: int) -> None:
        asked.append((mode, length))
        if held:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    with locked(tmp_path / "lock", busy=BUSY):
        held = True
        with pytest.raises(RequestError, match="Another one"), locked(tmp_path / "lock", busy=BUSY):
            pass
    assert asked == [(2, 1), (2, 1)]
