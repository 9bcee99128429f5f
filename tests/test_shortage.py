"""Errors that mean that memory is short, as libraries raise them."""

from __future__ import annotations

from errno import ENOMEM

import numpy as np
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import RuntimeException

from linnet.errors import DataError
from linnet.shortage import short_of_memory


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
