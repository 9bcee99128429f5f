"""Which tokens are masked, and with what."""

from __future__ import annotations

import numpy as np

from linnet.train.masking import MaskedTokens, mask_tokens

MASK, FIRST_PIECE, PIECES = 4, 5, 995


def masked(ids: np.ndarray, *, share: float = 0.15, seed: int = 0) -> MaskedTokens:
    pieces = np.arange(FIRST_PIECE, FIRST_PIECE + PIECES)
    rng = np.random.default_rng(seed)
    return mask_tokens(ids, ids >= FIRST_PIECE, share=share, mask=MASK, pieces=pieces, rng=rng)


def test_of_the_chosen_tokens_most_become_the_mask_some_a_random_piece_and_some_stay() -> None:
    ids = np.random.default_rng(1).integers(FIRST_PIECE, FIRST_PIECE + PIECES, (200, 100))
    batch = masked(ids)
    assert len(batch.positions) == 3000
    assert (batch.targets == ids.ravel()[batch.positions]).all()
    read = batch.ids.ravel()[batch.positions]
    assert abs(np.mean(read == MASK) - 0.8) < 0.03
    assert abs(np.mean(read == batch.targets) - 0.1) < 0.03
    assert abs(np.mean((read != MASK) & (read != batch.targets)) - 0.1) < 0.03
    assert np.bincount(batch.positions % 100, minlength=100).min() > 0  # at every place of a sequence


def test_all_other_tokens_stay_and_the_given_ids_are_not_changed() -> None:
    ids = np.random.default_rng(1).integers(FIRST_PIECE, FIRST_PIECE + PIECES, (8, 50))
    before = ids.copy()
    batch = masked(ids)
    others = np.setdiff1d(np.arange(ids.size), batch.positions)
    assert (batch.ids.ravel()[others] == ids.ravel()[others]).all()
    assert (ids == before).all()


def test_tokens_that_may_not_be_masked_never_are() -> None:
    ids = np.random.default_rng(1).integers(0, 10, (40, 20))
    batch = masked(ids, share=1.0)
    assert (batch.positions == np.flatnonzero(ids >= FIRST_PIECE)).all()
    assert (batch.ids[ids < FIRST_PIECE] == ids[ids < FIRST_PIECE]).all()


def test_at_least_one_token_is_chosen_and_the_same_seed_chooses_the_same() -> None:
    ids = np.array([[2, 7, 8, 3]])
    assert len(masked(ids, share=0.01).positions) == 1
    long = np.arange(5, 905).reshape(9, 100)
    assert (masked(long).ids == masked(long).ids).all()
    assert (masked(long).ids != masked(long, seed=1).ids).any()
