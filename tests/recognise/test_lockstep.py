"""Sentences side by side."""

from __future__ import annotations

import numpy as np

from linnet.recognise.lockstep import Lockstep


def test_sentences_that_go_on_are_a_prefix_at_every_step() -> None:
    steps = Lockstep.of((0, 2, 2, 5, 6))
    assert steps.firsts.tolist() == [2, 0, 5]
    assert steps.lasts.tolist() == [4, 1, 5]
    assert steps.active == (3, 2, 1)
    assert [steps.forward(step).tolist() for step in range(3)] == [[2, 0, 5], [3, 1], [4]]
    assert [steps.backward(step).tolist() for step in range(3)] == [[4, 1, 5], [3, 0], [2]]


def test_only_the_chosen_sentences_are_gone_through() -> None:
    steps = Lockstep.of((0, 2, 2, 5, 6), chosen=np.array([0, 3]))
    assert steps.firsts.tolist() == [0, 5]
    assert steps.active == (2, 1)


def test_a_text_without_sentences_has_no_steps() -> None:
    assert Lockstep.of((0,)).active == ()
    assert Lockstep.of((0, 0)).active == ()
