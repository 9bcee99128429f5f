"""Batches in parts: nothing lost, no part too large, no thread left with nothing to do."""

from __future__ import annotations

import pytest

from linnet.retrieve.slices import even_slices


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 100, 1001])
def test_every_thing_is_in_one_part(count: int, threads: int) -> None:
    parts = even_slices(count, most=8, threads=threads)
    assert [i for part in parts for i in range(count)[part]] == list(range(count))
    sizes = [part.stop - part.start for part in parts]
    assert all(0 < size <= 8 for size in sizes)
    assert len(parts) <= 1 or len(parts) % threads == 0 or len(parts) == count
    assert max(sizes, default=0) - min(sizes, default=0) <= 1


def test_what_fits_one_part_is_not_split() -> None:
    assert even_slices(8, most=8, threads=4) == [slice(0, 8)]
