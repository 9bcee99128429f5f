"""A transformer in training: any in Hugging Face's format, one that linnet saved, or a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from linnet.arrays import Ints
from linnet.encode.export import quietly, write_onnx
from linnet.encode.model import Model
from linnet.encode.transformer import MAX_LENGTH
from linnet.errors import RequestError
from linnet.io.settings_files import check_at_least
from linnet.train.learners.adamw import SparseRowsAdamW
from linnet.train.learners.adapters import AdapterSettings, adapter_parameters, insert_adapters
from linnet.train.learners.learner import Learner
from linnet.train.learners.pretrained import (
    BaseSettings,
    build_base,
    check_length,
    on_cpu,
    parameter_groups,
    save_pretrained,
    write_with_int8,
)
from linnet.train.learners.vectors import vectors_of
from linnet.train.learners.vocabulary import cut_vocabulary

__all__ = ["TransformerLearner", "TransformerSettings"]


@dataclass(frozen=True, kw_only=True)
class TransformerSettings(BaseSettings):
    """The section `[encoder]` of a run file whose `kind` is "transformer".

    name           of the model
    start, hub, first_layers, dropout, layers, width, heads, vocabulary
                   see `BaseSettings`
    pooling        "cls" or "mean"; None for the model's own, else "cls"
    max_length     tokens of a text, [CLS] and [SEP] included
    pieces         keep only so many word pieces, those frequent in the names, see `cut_vocabulary`; None for all
    learning_rate, weight_decay
                   of AdamW, SapBERT's values; biases and layer norms do not decay
    adapters       train only bottlenecks, see `AdapterSettings`
    """

    kind: str = "transformer"
    name: str = "transformer"
    pooling: Literal["cls", "mean"] | None = None
    max_length: int = MAX_LENGTH
    pieces: int | None = None
    learning_rate: float = 2e-5
    weight_decay: float = 0.01
    adapters: AdapterSettings | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 3, "max_length")
        check_at_least(self, 1, "pieces")


class TransformerLearner(Learner):
    """(N, D) vector of the first token, or mean of all tokens."""

    Settings: ClassVar[type[TransformerSettings]] = TransformerSettings

    def __init__(self, settings: TransformerSettings, names: Iterable[str], *, seed: int) -> None:
        """
        names  for a new or smaller vocabulary
        seed   of random weights

        Raises as `build_base` and `cut_vocabulary`, and RequestError where adapters are impossible or differ.
        """
        super().__init__()
        torch.manual_seed(seed)
        base = build_base(settings, names)
        self.settings = settings
        self.network, self.tokenizer = base.network, base.tokenizer
        if settings.pieces is not None:
            self.tokenizer = cut_vocabulary(self.network, self.tokenizer, names, size=settings.pieces)
        self.pooling = settings.pooling or base.pooling
        self.digest = base.digest
        self.adapters = settings.adapters or base.adapters
        if settings.adapters is not None:
            if base.adapters is None:
                insert_adapters(self.network, settings.adapters)
            elif base.adapters != settings.adapters:
                raise RequestError(
                    f"{settings.start} already has adapters: {base.adapters}; 'encoder.adapters' asks for "
                    f"{settings.adapters}. Ask for the same, or leave 'encoder.adapters' out to train everything."
                )
            own = {id(parameter) for parameter in adapter_parameters(self.network)}
            for parameter in self.network.parameters():
                parameter.requires_grad_(id(parameter) in own)
        check_length(self.network, key="encoder.max_length", length=settings.max_length)
        # A batch has a fraction of the vocabulary.
        self.network.get_input_embeddings().sparse = True

    def forward(self, texts: Sequence[str]) -> Tensor:
        """(N, D) raw, float32."""
        return self._vectors(self._tokens(texts))

    def numbered(self, texts: Sequence[str]) -> Callable[[Ints], Tensor]:
        """See `Learner.numbered`: texts are tokenised once."""
        tokens = self._tokens(texts)
        return lambda numbers: self._vectors([tokens[number] for number in numbers])

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        ids: list[list[int]] = self.tokenizer(
            list(texts), truncation=True, max_length=self.settings.max_length
        )["input_ids"]
        return ids

    def _vectors(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        return vectors_of(self.network, tokens, pooling=self.pooling, pad=self.tokenizer.pad_token_id)

    def optimiser(self) -> torch.optim.Optimizer:
        """AdamW over the trained parameters; of the word pieces' vectors, a step moves those of its batch."""
        groups = parameter_groups(self.network.parameters(), weight_decay=self.settings.weight_decay)
        return SparseRowsAdamW(groups, lr=self.settings.learning_rate)

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write a model directory: ONNX to use, weights and tokenizer in Hugging Face's format to train further.

        `directory/int8` is a model directory too: the same encoder, its ONNX a quarter of the size.
        """
        options: dict[str, Any] = {
            "pooling": self.pooling,
            "max_length": self.settings.max_length,
            "precision": "fp32",
        }
        if self.adapters is not None:
            options["adapters"] = self.adapters.table()
        dimensions = int(self.network.config.hidden_size)
        model = Model("transformer", self.settings.name, dimensions, "tokenizer", options, training)

        def fill(draft: Path) -> None:
            save_pretrained(self.network, draft)
            self.tokenizer.save_pretrained(draft)
            write_onnx(self.network, draft / "model.onnx")

        with quietly(), on_cpu(self.network):
            write_with_int8(
                directory, model, graphs=["model.onnx"], tokenizer=self.tokenizer, card=card, fill=fill
            )
