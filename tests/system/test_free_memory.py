"""What was freed is the system's again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from linnet.system.free_memory import release_memory, return_free_memory


def resident() -> int:
    """Kilobytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


@pytest.mark.skipif(sys.platform != "linux", reason="measures with /proc")
@pytest.mark.parametrize("free", [return_free_memory, release_memory])
def test_gaps_between_what_is_kept_are_returned(free: Callable[[], None]) -> None:
    # Small enough for the heap; every hundredth stays, so that the heap cannot shrink from its end.
    many = [bytes(60_000) for _ in range(4_000)]
    kept = many[::100]
    before = resident()
    del many
    gaps = before - resident()
    free()
    assert len(kept) == 40
    assert gaps < 150_000, "the C library returned the memory by itself, and this test shows nothing"
    assert before - resident() > 150_000


def test_systems_without_it_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linnet.system.free_memory.sys.platform", "darwin")
    monkeypatch.setattr("linnet.system.free_memory.ctypes.CDLL", None)  # calling it would fail
    release_memory()
