"""A transformer with the head that predicts masked word pieces. The head is for training only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, linear

from linnet.encode.export import quietly
from linnet.errors import RequestError
from linnet.train.learners.pretrained import parameter_groups
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings

__all__ = ["MaskedLanguageLearner"]

# Architectures whose published weights include BERT's head.
_WITH_HEAD = {"BertForMaskedLM", "BertForPreTraining"}
_SPREAD, _EPSILON = 0.02, 1e-12  # BERT's, for networks whose configuration has none


class MaskedLanguageLearner(nn.Module):
    """BERT's head on a transformer: dense, GELU, layer norm, and the word pieces' own vectors as the output layer.

    encoder  the transformer, which is what training is for
    """

    def __init__(self, settings: TransformerSettings, texts: Iterable[str], *, seed: int) -> None:
        """
        texts  for a new or smaller vocabulary
        seed   of random weights

        The head is random unless the start has one. Raises as `TransformerLearner`, and RequestError where the tokenizer
        lacks a special token or has more word pieces than the transformer.
        """
        super().__init__()
        self.encoder = TransformerLearner(settings, texts, seed=seed)
        network = self.encoder.network
        table = network.get_input_embeddings()
        _check_tokens(self.encoder.tokenizer, vectors=table.num_embeddings)
        table.sparse = False  # the output layer gives every row a gradient
        width, self.digest = int(network.config.hidden_size), self.encoder.digest
        self.dense = nn.Linear(width, table.embedding_dim)
        self.norm = nn.LayerNorm(table.embedding_dim, eps=getattr(network.config, "layer_norm_eps", _EPSILON))
        self.bias = nn.Parameter(torch.zeros(table.num_embeddings))
        nn.init.normal_(self.dense.weight, std=getattr(network.config, "initializer_range", _SPREAD))
        nn.init.zeros_(self.dense.bias)
        if settings.start is not None or settings.hub is not None:
            self._load_head(str(settings.start or settings.hub))

    def forward(self, ids: Tensor, positions: Tensor) -> Tensor:
        """(M, V) float32 logits of all word pieces, at M positions of the flattened (B, L) token ids."""
        network = self.encoder.network
        mask = (ids != self.encoder.tokenizer.pad_token_id).long()
        with _fused_attention(network):
            states = network(input_ids=ids, attention_mask=mask).last_hidden_state
        chosen = states.flatten(0, 1).index_select(0, positions)
        vectors = self.norm(gelu(self.dense(chosen)))
        return linear(vectors, network.get_input_embeddings().weight, self.bias).float()

    def optimiser(self) -> torch.optim.Optimizer:
        """AdamW over all trained parameters."""
        settings = self.encoder.settings
        groups = parameter_groups(self.parameters(), weight_decay=settings.weight_decay)
        return torch.optim.AdamW(groups, lr=settings.learning_rate, fused=True)

    def _load_head(self, start: str) -> None:
        """Take over the head of the start, if it has one; the bias only with the same vocabulary."""
        from transformers import AutoConfig, BertForMaskedLM

        with quietly():
            config = AutoConfig.from_pretrained(start)
            if not _WITH_HEAD & set(getattr(config, "architectures", None) or ()):
                return
            head = BertForMaskedLM.from_pretrained(start, dtype=torch.float32).cls.predictions
        self.dense.load_state_dict(head.transform.dense.state_dict())
        self.norm.load_state_dict(head.transform.LayerNorm.state_dict())
        if len(head.bias) == len(self.bias):
            with torch.no_grad():
                self.bias.copy_(head.bias)


def _check_tokens(tokenizer: Any, *, vectors: int) -> None:
    """Raise RequestError where a special token is missing, or there are more word pieces than their vectors."""
    roles = {
        "[CLS]": tokenizer.cls_token_id,
        "[SEP]": tokenizer.sep_token_id,
        "[MASK]": tokenizer.mask_token_id,
    }
    missing = [name for name, id in roles.items() if id is None]
    if missing:
        raise RequestError(
            f"The tokenizer of the model to start from has no token for {', '.join(missing)}, which masked-language "
            "modelling needs. Start from a model with a tokenizer like BERT's."
        )
    if len(tokenizer) > vectors:
        raise RequestError(
            f"The tokenizer of the model to start from has {len(tokenizer):,} word pieces, but the transformer has vectors of "
            f"only {vectors:,}. Start from a directory whose tokenizer belongs to its weights."
        )


@contextmanager
def _fused_attention(network: Any) -> Iterator[None]:
    """The network attends with PyTorch's fused kernels inside the block, if it can: faster, and with less memory."""
    before = network.config._attn_implementation
    if getattr(network, "_supports_sdpa", False):
        network.config._attn_implementation = "sdpa"
    try:
        yield
    finally:
        network.config._attn_implementation = before
