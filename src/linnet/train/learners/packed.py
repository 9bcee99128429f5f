"""Texts of all lengths through a BERT in one pass, without padding.

The tokens of all texts form one sequence, so that every layer is one large matrix product. Only attention is computed text by
text: texts of equal length together, which need no mask. Faster than padded batches on a CPU: names have 2 to 25 tokens, and
a third of a padded batch is padding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from linnet.arrays import Ints

__all__ = ["Group", "can_pack", "packed_groups"]

_NAME = "linnet_packed"
# Tokens of a pass. A layer keeps about 30 kB of a token for its gradient; speed is the same from 2,000 on.
_TOKENS = 4096


class Group(NamedTuple):
    """Texts of L tokens each.

    places  (n,) of the texts among those given
    ids     (n, L) tokens        states  (n, L, D) of the last layer, float32
    """

    places: Ints
    ids: Tensor
    states: Tensor


def can_pack(network: Any) -> bool:
    """Whether `packed_groups` takes this network: a BERT on a CPU. A GPU is faster with few large kernels."""
    from transformers import BertModel

    return isinstance(network, BertModel) and not network.config.is_decoder and network.device.type == "cpu"


def packed_groups(network: Any, tokens: Sequence[Sequence[int]]) -> Iterator[Group]:
    """The states of each text, in groups of equal length, shortest first.

    tokens  token ids of each text, 1 or more
    """
    lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
    order = np.argsort(lengths, kind="stable")
    parts = np.cumsum(lengths[order]) // _TOKENS
    for positions in np.split(order, np.flatnonzero(np.diff(parts)) + 1):
        yield from _pass(network, [tokens[position] for position in positions], positions, lengths[positions])


def _pass(network: Any, tokens: Sequence[Sequence[int]], places: Ints, lengths: Ints) -> Iterator[Group]:
    """One pass over texts sorted by length."""
    distinct, counts = np.unique(lengths, return_counts=True)
    shapes = list(zip(counts.tolist(), distinct.tolist(), strict=True))
    sizes = [count * length for count, length in shapes]
    ids = torch.tensor(list(chain.from_iterable(tokens)))
    starts = np.cumsum(lengths) - lengths
    positions = torch.from_numpy(np.arange(len(ids)) - np.repeat(starts, lengths))
    with _packed_attention(network):
        output = network(input_ids=ids[None], position_ids=positions[None], packed=shapes)
    states = output.last_hidden_state[0].float()
    for (count, length), members, own, vectors in zip(
        shapes,
        np.split(places, np.cumsum(counts)[:-1]),
        torch.split(ids, sizes),
        torch.split(states, sizes),
        strict=True,
    ):
        yield Group(members, own.view(count, length), vectors.view(count, length, -1))


@contextmanager
def _packed_attention(network: Any) -> Iterator[None]:
    """The network attends within each text of a packed sequence inside the block."""
    from transformers import AttentionInterface

    AttentionInterface.register(_NAME, _attend)
    before = network.config._attn_implementation
    network.config._attn_implementation = _NAME
    try:
        yield
    finally:
        network.config._attn_implementation = before


def _attend(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: None,
    *,
    scaling: float,
    packed: Sequence[tuple[int, int]],
    dropout: float = 0.0,
    **others: Any,
) -> tuple[Tensor, None]:
    """Attention as transformers calls it, on (1, heads, T, d); returns (1, T, heads, d).

    Always in float32: bf16 is slower for matrices this small.
    """
    sizes = [count * length for count, length in packed]
    with torch.autocast(query.device.type, enabled=False):
        parts = [torch.split(tensor[0].transpose(0, 1).float(), sizes) for tensor in (query, key, value)]
        states = []
        for shape, *tensors in zip(packed, *parts, strict=True):
            q, k, v = (tensor.view(*shape, *tensor.shape[1:]).transpose(1, 2) for tensor in tensors)
            attended = scaled_dot_product_attention(q, k, v, dropout_p=dropout, scale=scaling)
            states.append(attended.transpose(1, 2).flatten(0, 1))
        return torch.cat(states)[None].to(query.dtype), None
