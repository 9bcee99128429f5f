"""Errors that mean that memory is short, as libraries raise them."""

from __future__ import annotations

from errno import ENOMEM

import numpy as np
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import RuntimeException

from linnet.errors import DamagedError, DataError, LinnetError, RequestError
from linnet.system.memory_errors import LEAST_ADDRESS_SPACE, refuse_little_address_space, short_of_memory


def test_what_libraries_raise_where_memory_is_short_is_known() -> None:
    with pytest.raises(MemoryError) as numpys:
        np.empty(2**55, np.float64)
    assert short_of_memory(numpys.value)
    assert short_of_memory(RuntimeError("Error in faiss::IndexFlat: std::bad_alloc"))
    assert short_of_memory(
        RuntimeException("bfc_arena.cc: Failed to allocate memory for requested buffer of size 9")
    )
    assert short_of_memory(OSError(ENOMEM, "Cannot allocate memory"))
    assert short_of_memory(RuntimeError("can't start new thread"))


def test_other_errors_are_others() -> None:
    assert not short_of_memory(RuntimeError("something else"))
    assert not short_of_memory(RuntimeException("Non-zero status code returned while running Gather node"))
    assert not short_of_memory(DataError("document 'failed to allocate' has no text"))


def test_libraries_that_cannot_be_loaded_and_threads_that_cannot_start_are_known() -> None:
    assert short_of_memory(ImportError("libarrow_compute.so.2600: failed to map segment from shared object"))
    assert short_of_memory(
        RuntimeError("Unknown error: Failed to launch worker thread: Resource temporarily")
    )
    assert short_of_memory(RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"))


def test_what_an_error_was_raised_from_or_hides_counts() -> None:
    def broken(error: Exception, *, hide: bool) -> Exception:
        try:
            try:
                raise OSError(ENOMEM, "Cannot allocate memory")
            except OSError as cause:
                raise error from (None if hide else cause)
        except Exception as raised:
            return raised

    for hide in (True, False):
        assert short_of_memory(broken(ImportError("scipy seems to be broken"), hide=hide))
        assert short_of_memory(broken(DamagedError("weights cannot be read. Train them again."), hide=hide))
        assert not short_of_memory(broken(RequestError("Link with fewer --jobs."), hide=hide))


@pytest.mark.parametrize("limit", [LEAST_ADDRESS_SPACE - 1, LEAST_ADDRESS_SPACE, None])
def test_address_space_is_limited_too_far_only_below_what_libraries_need(
    limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    soft = resource.RLIM_INFINITY if limit is None else limit
    monkeypatch.setattr(resource, "getrlimit", lambda which: (soft, resource.RLIM_INFINITY))
    if soft == LEAST_ADDRESS_SPACE - 1:
        with pytest.raises(LinnetError, match=r"limited to 500 MB of address space.*ulimit -v"):
            refuse_little_address_space()
    else:
        refuse_little_address_space()
