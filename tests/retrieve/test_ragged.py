"""Flat arrays of lists, against plain Python."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linnet.retrieve.ragged import concatenated_ranges, offsets, run_starts

COUNTS = st.lists(st.integers(0, 4), max_size=8)


@given(COUNTS)
def test_offsets_are_where_lists_begin_and_the_last_ends(counts: list[int]) -> None:
    assert offsets(np.array(counts, np.int64)).tolist() == [sum(counts[:i]) for i in range(len(counts) + 1)]


@given(COUNTS)
def test_ranges_follow_one_another(counts: list[int]) -> None:
    starts = [7 * i for i in range(len(counts))]
    expected = [start + i for start, count in zip(starts, counts, strict=True) for i in range(count)]
    assert concatenated_ranges(np.array(starts, np.int64), np.array(counts, np.int64)).tolist() == expected


@given(st.lists(st.integers(0, 3), max_size=10))
def test_a_run_begins_where_the_value_changes(values: list[int]) -> None:
    lengths = [len(list(run)) for _, run in groupby(values)]
    assert run_starts(np.array(values, np.int64)).tolist() == [sum(lengths[:i]) for i in range(len(lengths))]
