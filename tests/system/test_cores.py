"""The number of cores."""

from __future__ import annotations

import os

import pytest

from linnet.system.cores import cores


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux confines processes to cores")
def test_a_process_confined_to_one_core_has_one() -> None:
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, before)
    assert cores() == len(before)


def test_where_processes_are_not_confined_all_cores_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert cores() == 6
