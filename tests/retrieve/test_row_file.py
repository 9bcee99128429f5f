"""Rows of a large file: the same whether they are read or mapped, and after the mapped ones were let go of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linnet.retrieve import row_file
from linnet.retrieve.row_file import RowFile

RNG = np.random.default_rng(5)
RECORD = np.dtype([("words", "<u4", (3,)), ("length", "<u2")])


def records(count: int) -> np.ndarray:
    found = np.zeros(count, RECORD)
    found["words"], found["length"] = (
        RNG.integers(1 << 30, size=(count, 3)),
        RNG.integers(1 << 15, size=count),
    )
    return found


@pytest.mark.parametrize("rows", [RNG.integers(-999, 999, (4000, 128)).astype(np.int16), records(4000)])
def test_rows_are_those_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: np.ndarray
) -> None:
    monkeypatch.setattr(row_file, "_HELD", 1)
    monkeypatch.setattr(row_file, "_FEW", 100)
    monkeypatch.setattr(row_file, "_TOGETHER", 300)
    np.save(tmp_path / "rows.npy", rows)
    opened = RowFile(tmp_path / "rows.npy")
    for some in (RNG.integers(4000, size=size) for size in (0, 1, 100, 101, 700)):
        assert (opened.take(some) == rows[some]).all()
        assert (opened.take(np.sort(some)) == rows[np.sort(some)]).all()
