"""Packed sentences."""

from __future__ import annotations

import numpy as np

from linnet.recognise.packed_sentences import PackedSentences


def test_sentences_with_a_token_at_a_step_come_first() -> None:
    packed = PackedSentences.of((0, 2, 2, 5, 6))
    assert packed.firsts.tolist() == [2, 0, 5]
    assert packed.lasts.tolist() == [4, 1, 5]
    assert packed.batch_sizes == (3, 2, 1)
    assert [packed.forward(step).tolist() for step in range(3)] == [[2, 0, 5], [3, 1], [4]]
    assert [packed.backward(step).tolist() for step in range(3)] == [[4, 1, 5], [3, 0], [2]]


def test_only_the_chosen_sentences_are_packed() -> None:
    packed = PackedSentences.of((0, 2, 2, 5, 6), chosen=np.array([0, 3]))
    assert packed.firsts.tolist() == [0, 5]
    assert packed.batch_sizes == (2, 1)


def test_a_text_without_sentences_has_no_steps() -> None:
    assert PackedSentences.of((0,)).batch_sizes == ()
    assert PackedSentences.of((0, 0)).batch_sizes == ()
