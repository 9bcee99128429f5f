"""Training gives the same numbers each time."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from linnet.train.repeatable import repeatable  # noqa: E402

CPU = "cpu"


def _gradient() -> object:
    """Of rows that two threads add to."""
    rows = torch.randn(300, 384, requires_grad=True)
    taken = torch.randint(0, len(rows), (2000,))
    (rows[taken] * torch.randn(2000, 384)).sum().backward()
    return rows.grad


def test_the_same_seed_gives_the_same_gradient_on_several_threads() -> None:
    gradients = []
    for _ in range(30):
        with repeatable(0, torch.device(CPU), threads=2):
            gradients.append(_gradient())
    assert all(torch.equal(gradients[0], other) for other in gradients[1:])


def test_another_seed_gives_another_one() -> None:
    with repeatable(0, torch.device(CPU)):
        first = torch.randn(3)
    with repeatable(1, torch.device(CPU)):
        assert not torch.equal(first, torch.randn(3))


def test_what_was_set_before_is_set_again_even_after_an_error() -> None:
    filling = torch.utils.deterministic.fill_uninitialized_memory
    threads = torch.get_num_threads()
    inside = repeatable(0, torch.device(CPU), threads=threads + 1)
    inside.__enter__()
    assert torch.are_deterministic_algorithms_enabled()
    assert torch.get_num_threads() == threads + 1
    assert not torch.utils.deterministic.fill_uninitialized_memory
    assert not inside.__exit__(KeyError, KeyError(), None)
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.get_num_threads() == threads
    assert torch.utils.deterministic.fill_uninitialized_memory == filling


def test_inside_another_block_nothing_of_the_outer_one_is_lost() -> None:
    with repeatable(0, torch.device(CPU), threads=2):
        with repeatable(1, torch.device(CPU), threads=1):
            pass
        assert torch.is_deterministic_algorithms_warn_only_enabled()
        assert torch.get_num_threads() == 2
    assert not torch.is_deterministic_algorithms_warn_only_enabled()
