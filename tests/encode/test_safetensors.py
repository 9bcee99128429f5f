"""Arrays written and read back; files that are not what they say."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.advice import Step
from linnet.encode.safetensors import read_safetensors, write_safetensors
from linnet.errors import DamagedError

ARRAYS = {
    "a": np.arange(6, dtype=np.int8).reshape(2, 3),
    "b": np.linspace(0, 1, 5, dtype=np.float32),
    "c": np.zeros((0, 4), np.float16),
    "d": np.array(7, dtype=np.uint8),
}


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "w", ARRAYS)
    read = read_safetensors(tmp_path / "w", rebuild=Step.MODEL_AGAIN())
    assert set(read) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)


def test_the_original_library_reads_what_we_write_and_the_reverse(tmp_path: Path) -> None:
    original = pytest.importorskip("safetensors.numpy", reason="needs the train extra")
    arrays = {name: array for name, array in ARRAYS.items() if array.size}
    write_safetensors(tmp_path / "ours", arrays)
    original.save_file(arrays, tmp_path / "theirs", metadata={"format": "np"})
    for read in (
        original.load_file(tmp_path / "ours"),
        read_safetensors(tmp_path / "theirs", rebuild=Step.MODEL_AGAIN()),
    ):
        assert read.keys() == arrays.keys()
        for name, array in arrays.items():
            np.testing.assert_array_equal(read[name], array)


def test_a_type_that_is_not_stored_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="'x' is float64"):
        write_safetensors(tmp_path / "w", {"x": np.zeros(3)})


@given(st.data())
def test_a_damaged_file_is_refused_or_reads_as_arrays(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "w"
        write_safetensors(path, ARRAYS)
        raw = bytearray(path.read_bytes())
        at = data.draw(st.integers(0, len(raw) - 1))
        if data.draw(st.booleans()):
            raw = raw[:at]
        else:
            raw[at] = data.draw(st.integers(0, 255))
        path.write_bytes(raw)
        with suppress(DamagedError):
            read = read_safetensors(path, rebuild=Step.MODEL_AGAIN())
            assert sum(array.nbytes for array in read.values()) <= len(raw)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [-1, -1], "data_offsets": [0, 4]},
        {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [1]},
        "nothing",
    ],
)
def test_a_header_that_does_not_fit_its_data_is_refused(tmp_path: Path, entry: object) -> None:
    header = json.dumps({"x": entry}).encode()
    (tmp_path / "w").write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 4)
    with pytest.raises(DamagedError, match="safetensors"):
        read_safetensors(tmp_path / "w", rebuild=Step.MODEL_AGAIN())
