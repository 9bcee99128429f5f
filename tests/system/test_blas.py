"""BLAS on one thread, as long as any block wants it."""

from __future__ import annotations

from threading import Event, Thread

import numpy  # noqa: F401, brings its BLAS
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from linnet.system.blas import single_threaded_blas


def threads() -> set[int]:
    """How many threads numpy's BLAS uses: other libraries, loaded by other tests, bring their own."""
    libraries = [one for one in ThreadpoolController().info() if "numpy" in str(one["filepath"])]
    if not libraries:
        pytest.skip("numpy has a BLAS whose threads cannot be set")
    return {library["num_threads"] for library in libraries}


def test_blas_has_one_thread_within_the_block_and_as_many_as_before_behind_it() -> None:
    with threadpool_limits(2, user_api="blas"):
        with single_threaded_blas():
            assert threads() == {1}
            with single_threaded_blas():
                assert threads() == {1}
            assert threads() == {1}
        assert threads() == {2}


def test_blocks_that_overlap_on_two_threads_keep_one_thread_until_the_last_one_ends() -> None:
    entered, first_ended, counts = Event(), Event(), []

    def second() -> None:
        with single_threaded_blas():
            entered.set()
            first_ended.wait(10)
            counts.append(threads())

    with threadpool_limits(2, user_api="blas"):
        other = Thread(target=second)
        with single_threaded_blas():
            other.start()
            assert entered.wait(10)
        first_ended.set()
        other.join(10)
        assert counts == [{1}]
        assert threads() == {2}


def test_an_error_within_the_block_puts_the_setting_back() -> None:
    with threadpool_limits(2, user_api="blas"):
        with pytest.raises(ZeroDivisionError), single_threaded_blas():
            _ = 1 / 0
        assert threads() == {2}
