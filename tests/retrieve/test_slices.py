"""Slices of a batch: nothing lost, no slice too large, no idle thread."""

from __future__ import annotations

import pytest

from linnet.retrieve.slices import even_slices


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 100, 1001])
def test_every_item_is_in_one_slice(count: int, threads: int) -> None:
    slices = even_slices(count, most=8, threads=threads)
    assert [i for part in slices for i in range(count)[part]] == list(range(count))
    sizes = [part.stop - part.start for part in slices]
    assert all(0 < size <= 8 for size in sizes)
    assert len(slices) <= 1 or len(slices) % threads == 0 or len(slices) == count
    assert max(sizes, default=0) - min(sizes, default=0) <= 1


def test_a_batch_that_fits_one_slice_is_not_split() -> None:
    assert even_slices(8, most=8, threads=4) == [slice(0, 8)]
