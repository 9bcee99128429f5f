"""Masked word pieces: which tokens of a batch a transformer must predict, and what it reads in their place (BERT)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linnet.arrays import Ints, Mask

__all__ = ["MaskedTokens", "mask_tokens"]

# Of the chosen tokens, 80 % become [MASK] and 10 % a random piece; the others stay. Devlin et al. 2019, section 3.1.
_MASKED, _RANDOM = 0.8, 0.1


class MaskedTokens(NamedTuple):
    """Sequences with masked tokens.

    ids        (B, L) what the transformer reads
    positions  (M,) of the tokens to predict, in the flattened ids; ascending
    targets    (M,) their true ids
    """

    ids: Ints
    positions: Ints
    targets: Ints


def mask_tokens(
    ids: Ints, maskable: Mask, *, share: float, mask: int, pieces: Ints, rng: np.random.Generator
) -> MaskedTokens:
    """Choose tokens at random and mask them.

    ids       (B, L) token ids
    maskable  (B, L) whether a token may be chosen; at least one
    share     of the maskable tokens that are chosen, rounded to whole tokens, at least one
    mask      id of [MASK]
    pieces    (P,) ids from which a random piece is drawn
    """
    candidates = np.flatnonzero(maskable)
    count = max(1, round(share * len(candidates)))
    positions = np.sort(rng.choice(candidates, count, replace=False))
    targets = ids.ravel()[positions]
    draws = rng.random(count)
    random_pieces = pieces[rng.integers(len(pieces), size=count)]
    read = np.where(draws < _MASKED, mask, np.where(draws < _MASKED + _RANDOM, random_pieces, targets))
    masked = ids.copy()
    masked.ravel()[positions] = read
    return MaskedTokens(masked, positions, targets)
