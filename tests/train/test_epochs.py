"""Epochs: every row once, the same batches wherever a run goes on."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.train.epochs import Epochs


def test_an_epoch_has_every_row_once_but_a_rest_smaller_than_a_batch() -> None:
    epochs = Epochs(10, batch=3, seed=1)
    drawn = np.concatenate([epochs.rows(step) for step in range(3)])
    assert len(drawn) == 9
    assert len(set(drawn.tolist()) & set(range(10))) == 9


def test_each_epoch_has_an_order_of_its_own_and_so_has_each_seed() -> None:
    epochs, other = Epochs(50, batch=50, seed=1), Epochs(50, batch=50, seed=2)
    assert epochs.rows(0).tolist() != epochs.rows(1).tolist()
    assert epochs.rows(0).tolist() != other.rows(0).tolist()


def test_a_batch_depends_on_its_step_alone() -> None:
    epochs = Epochs(10, batch=3, seed=1)
    forth = [epochs.rows(step).tolist() for step in range(9)]
    assert [epochs.rows(step).tolist() for step in reversed(range(9))] == forth[::-1]


@pytest.mark.parametrize("batch", [4, 5, 100])
def test_where_there_are_fewer_a_batch_has_all(batch: int) -> None:
    assert sorted(Epochs(4, batch=batch, seed=1).rows(7).tolist()) == [0, 1, 2, 3]
