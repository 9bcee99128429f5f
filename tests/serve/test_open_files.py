"""The cap of connections and the system's limit of open files fit together."""

from __future__ import annotations

import subprocess
import sys

import pytest

from linnet.errors import RequestError
from linnet.serve.open_files import fitting_connections

resource = pytest.importorskip("resource", reason="needs a system with limits of open files")


def connections(soft: int, hard: int) -> tuple[int, int]:
    """Connections of 1,000 that fit, and the soft limit afterwards, in a process with these limits."""
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))\n"
        "from linnet.serve.open_files import fitting_connections\n"
        "print(fitting_connections(1000), resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = done.stdout.split()
    return int(first), int(second)


def test_the_soft_limit_is_raised_to_what_the_connections_need() -> None:
    assert connections(256, 4096) == (1000, 1128)


def test_a_limit_that_is_high_enough_is_left_alone() -> None:
    assert connections(2048, 4096) == (1000, 2048)


def test_a_hard_limit_lowers_the_cap_to_what_fits() -> None:
    assert connections(512, 1024) == (896, 1024)


def test_a_limit_that_leaves_no_connection_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (100, 100))
    with pytest.raises(
        RequestError, match="Only 100 files may be open at once, and a server needs more than 128"
    ):
        fitting_connections(1000)
