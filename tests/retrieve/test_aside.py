"""A second thread for short work."""

from __future__ import annotations

import threading

import pytest

from linnet.retrieve.aside import Aside


def test_both_are_done_at_the_same_time_by_two_threads() -> None:
    aside, meeting = Aside(), threading.Barrier(2, timeout=30)

    def work() -> str:
        meeting.wait()
        return threading.current_thread().name

    for _ in range(3):
        there, here = aside.both(work, work)
        assert there.startswith("linnet-aside")
        assert here == threading.current_thread().name


def test_what_either_raises_is_raised() -> None:
    for there, here in ((lambda: 1 / 0, lambda: 1), (lambda: 1, lambda: 1 / 0)):
        with pytest.raises(ZeroDivisionError):
            Aside().both(there, here)


def test_a_copy_of_the_process_starts_a_thread_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    aside = Aside()
    before, _ = aside.both(threading.get_ident, threading.get_ident)
    assert aside.both(threading.get_ident, threading.get_ident)[0] == before
    monkeypatch.setattr("os.getpid", lambda: -1)
    after, _ = aside.both(threading.get_ident, threading.get_ident)
    assert after != before
