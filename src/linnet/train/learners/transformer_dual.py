"""Two transformers with separate weights in training: one for mentions in context, one for concepts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from linnet.arrays import Ints
from linnet.encode.export import quantise, quietly, write_onnx
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext
from linnet.rerank.dual_towers import END, ENTITY, LENGTH, MENTION, START, TOKENIZER, DualTokens
from linnet.train.learners.adamw import SparseRowsAdamW
from linnet.train.learners.pretrained import (
    BaseSettings,
    build_base,
    check_length,
    on_cpu,
)
from linnet.train.learners.vectors import POOLS, Pool, encode_tokens

__all__ = ["Encode", "TransformerDual", "TransformerDualSettings"]

Encode = Callable[[Ints], Tensor]
"""(n,) numbers of prepared inputs → (n, D) raw vectors, with gradients."""


@dataclass(frozen=True, kw_only=True)
class TransformerDualSettings(BaseSettings):
    """The section `[encoder]` of a dual encoder's run file whose `kind` is "transformer".

    start, hub, first_layers, dropout, layers, width, heads, vocabulary
                   see `BaseSettings`, for both towers; a new vocabulary is learnt from names and contexts
    length         tokens of an input, markers included
    mention_pooling, entity_pooling
                   see `linnet.rerank.dual_towers`; the paper's are "markers" and "cls"
    learning_rate  of Adam
    precision      of the stored graphs: fp32, or int8 (a quarter of the size)
    """

    kind: str = "transformer"
    layers: int = 2
    width: int = 128
    heads: int = 4
    vocabulary: int = 8_000
    length: int = LENGTH
    mention_pooling: Literal["markers", "span"] = "markers"
    entity_pooling: Literal["cls", "mean"] = "cls"
    learning_rate: float = 1e-5
    precision: Literal["fp32", "int8"] = "fp32"


class TransformerDual(nn.Module):
    """Mentions in context and described concepts → vectors as those of `DualTowers`, compared by Euclidean distance."""

    def __init__(
        self, settings: TransformerDualSettings, names: Sequence[str], words: Sequence[str], *, seed: int
    ) -> None:
        """
        names, words  names of concepts and contexts of mentions, for a new vocabulary

        Raises as `build_base`, and RequestError where the transformer has fewer positions than `length`.
        """
        super().__init__()
        self.settings = settings
        torch.manual_seed(seed)
        base = build_base(settings, [*names, *words])
        check_length(base.network, key="encoder.length", length=settings.length)
        base.tokenizer.add_special_tokens({"additional_special_tokens": [START, END]})
        base.network.resize_token_embeddings(len(base.tokenizer), mean_resizing=False)
        base.network.get_input_embeddings().sparse = True  # a batch has a fraction of the vocabulary
        self.mention, self.entity = base.network, deepcopy(base.network)
        self.dimensions = int(base.network.config.hidden_size)
        self._tokenizer = base.tokenizer
        self._marks = (str(base.tokenizer.cls_token), str(base.tokenizer.sep_token))
        self._tokens = DualTokens(deepcopy(base.tokenizer.backend_tokenizer), *self._marks, settings.length)

    def mentions(self, contexts: Sequence[MentionInContext]) -> Encode:
        """Prepares inputs that come again and again."""
        pool = self._at_markers if self.settings.mention_pooling == "markers" else self._within_markers
        return self._numbered(self.mention, self._tokens.mentions(contexts), pool)

    def entities(self, described: Sequence[DescribedConcept]) -> Encode:
        """Prepares inputs that come again and again."""
        return self._numbered(
            self.entity, self._tokens.entities(described), POOLS[self.settings.entity_pooling]
        )

    def _at_markers(self, states: Tensor, ids: Tensor, mask: Tensor) -> Tensor:
        marks = ((ids == self._tokens.start) | (ids == self._tokens.end)).to(states.dtype)
        return (states * marks[:, :, None]).sum(1) / 2

    def _within_markers(self, states: Tensor, ids: Tensor, mask: Tensor) -> Tensor:
        begun, ended = ((ids == marker).cumsum(1) for marker in (self._tokens.start, self._tokens.end))
        inside = (begun - ended + (ids == self._tokens.end)).to(states.dtype)[:, :, None]
        return (states * inside).sum(1) / inside.sum(1)

    def _numbered(self, network: Any, tokens: Sequence[Sequence[int]], pool: Pool) -> Encode:
        pad = self._tokenizer.pad_token_id
        return lambda numbers: encode_tokens(network, [tokens[i] for i in numbers], pool, pad=pad)

    def optimiser(self) -> torch.optim.Optimizer:
        """Adam, as the paper; of the word pieces' vectors, a step moves those of its batch."""
        groups = [{"params": list(self.parameters()), "weight_decay": 0.0}]
        return SparseRowsAdamW(groups, lr=self.settings.learning_rate)

    def write(self, draft: Path) -> dict[str, Any]:
        """Write the files that `DualTowers` opens; returns the model's options for them."""
        with quietly(), on_cpu(self):
            for network, file in ((self.mention, MENTION), (self.entity, ENTITY)):
                wide = draft / f"wide-{file}" if self.settings.precision == "int8" else draft / file
                write_onnx(network, wide)
                if self.settings.precision == "int8":
                    quantise(wide, draft / file)
                    wide.unlink()
        self._tokenizer.backend_tokenizer.save(str(draft / TOKENIZER))
        return {
            "body": "transformer",
            "precision": self.settings.precision,
            "length": self.settings.length,
            "mention_pooling": self.settings.mention_pooling,
            "entity_pooling": self.settings.entity_pooling,
            "first": self._marks[0],
            "between": self._marks[1],
        }
