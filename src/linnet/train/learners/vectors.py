"""Vectors of tokenised texts from a transformer in training: one of each text, whatever its length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Ints
from linnet.train.learners.packed import can_pack, packed_groups

__all__ = ["POOLS", "Pool", "by_length", "encode_tokens", "padded", "vectors_of"]

# Padded texts of similar length that run together without gradients, and with gradients on a CPU. Most names are short; a
# few long ones would pad a whole batch to their length.
_TOGETHER, _LEARNT_TOGETHER = 256, 32

Pool = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(n, L, D) states, (n, L) token ids and (n, L) mask, 1 for a token → (n, D)."""


def vectors_of(network: Any, tokens: Sequence[Sequence[int]], *, pooling: str, pad: int) -> Tensor:
    """(N, D) float32 of N sequences of token ids: the first token's vector, or the mean of all."""
    return encode_tokens(network, tokens, POOLS[pooling], pad=pad)


def encode_tokens(network: Any, tokens: Sequence[Sequence[int]], pool: Pool, *, pad: int) -> Tensor:
    """(N, D) float32 of N sequences of token ids, each pooled over its tokens.

    A BERT on a CPU needs no padding; others run sequences of similar length together, a GPU all at once when it learns.
    """
    if len(tokens) and can_pack(network):
        groups = list(packed_groups(network, tokens))
        rows = torch.cat([pool(group.states, group.ids, torch.ones_like(group.ids)) for group in groups])
        order = np.concatenate([group.places for group in groups])
        return rows[torch.from_numpy(np.argsort(order))]
    size = _TOGETHER
    if torch.is_grad_enabled():
        size = _LEARNT_TOGETHER if network.device.type == "cpu" else len(tokens)

    def run(positions: Ints) -> Tensor:
        ids, mask = padded([tokens[position] for position in positions], pad=pad, device=network.device)
        states = network(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        return pool(states, ids, mask)

    return by_length(run, np.fromiter(map(len, tokens), np.int64, len(tokens)), size)


def by_length(run: Callable[[Ints], Tensor], lengths: Ints, size: int) -> Tensor:
    """(N, D) rows of `run`, which gets at most `size` places of similar lengths at a time; order kept."""
    if len(lengths) <= size:
        return run(np.arange(len(lengths)))
    order = np.argsort(lengths, kind="stable")
    rows = torch.cat([run(order[start : start + size]) for start in range(0, len(order), size)])
    return rows[torch.from_numpy(np.argsort(order)).to(rows.device)]


def padded(tokens: Sequence[Sequence[int]], *, pad: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """(N, L) token ids, padded to the longest, and (N, L) mask, 1 for a token."""
    longest = max((len(ids) for ids in tokens), default=0)
    ids = torch.tensor([[*ids, *[pad] * (longest - len(ids))] for ids in tokens], dtype=torch.long)
    lengths = torch.tensor([len(ids) for ids in tokens])
    mask = (torch.arange(longest)[None] < lengths[:, None]).long()
    return ids.to(device), mask.to(device)


def _first(states: Tensor, ids: Tensor, mask: Tensor) -> Tensor:
    return states[:, 0]


def _mean(states: Tensor, ids: Tensor, mask: Tensor) -> Tensor:
    weights = mask[:, :, None].to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1)


POOLS: Mapping[str, Pool] = {"cls": _first, "mean": _mean}
