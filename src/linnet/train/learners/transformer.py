"""A transformer under training: any of Hugging Face's form, one that linnet trained before, or one built from nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from linnet.arrays import Ints
from linnet.encode.export import quantise, quietly, write_onnx
from linnet.encode.model import Model, write_model
from linnet.encode.transformer import MAX_LENGTH
from linnet.errors import RequestError
from linnet.train.learners.adapters import AdapterSettings, adapter_parameters, insert_adapters
from linnet.train.learners.learner import Learner
from linnet.train.learners.pretrained import (
    BaseSettings,
    build_base,
    check_length,
    on_cpu,
    parameter_groups,
    save_pretrained,
    vectors_of,
)

__all__ = ["TransformerLearner", "TransformerSettings"]


@dataclass(frozen=True, kw_only=True)
class TransformerSettings(BaseSettings):
    """The section `[encoder]` of a run file whose `kind` is "transformer".

    name           what the model is called
    start, hub, layers, width, heads, vocabulary
                   see `BaseSettings`
    pooling        "cls" or "mean"; what the model's own settings say, else "cls"
    max_length     tokens of a text, [CLS] and [SEP] included
    learning_rate, weight_decay
                   of AdamW; biases and layer norms do not decay. SapBERT's values
    adapters       train bottlenecks only, see `AdapterSettings`
    """

    kind: str = "transformer"
    name: str = "transformer"
    pooling: Literal["cls", "mean"] | None = None
    max_length: int = MAX_LENGTH
    learning_rate: float = 2e-5
    weight_decay: float = 0.01
    adapters: AdapterSettings | None = None

    def __post_init__(self) -> None:
        BaseSettings.__post_init__(self)
        if self.max_length < 3:
            raise ValueError(f"'max_length' is {self.max_length}; expected 3 or more.")


class TransformerLearner(Learner):
    """(N, D) vector of the first token, or mean of all tokens."""

    Settings: ClassVar[type[TransformerSettings]] = TransformerSettings

    def __init__(self, settings: TransformerSettings, names: Iterable[str], *, seed: int) -> None:
        """
        names  what a new vocabulary is learnt from
        seed   of weights that are drawn

        Raises as `build_base`, and RequestError where adapters cannot be had.
        """
        super().__init__()
        torch.manual_seed(seed)
        base = build_base(settings, names)
        self.settings = settings
        self.network, self._tokenizer = base.network, base.tokenizer
        self.pooling = settings.pooling or base.pooling
        self.digest = base.digest
        self.adapters = settings.adapters or base.adapters
        if settings.adapters is not None:
            if base.adapters is None:
                insert_adapters(self.network, settings.adapters)
            elif base.adapters != settings.adapters:
                raise RequestError(
                    f"{settings.start} has adapters already: {base.adapters}; 'encoder.adapters' asks for "
                    f"{settings.adapters}. Ask for the same, or leave 'encoder.adapters' out to train everything."
                )
            own = {id(parameter) for parameter in adapter_parameters(self.network)}
            for parameter in self.network.parameters():
                parameter.requires_grad_(id(parameter) in own)
        check_length(self.network, key="encoder.max_length", length=settings.max_length)

    def forward(self, texts: Sequence[str]) -> Tensor:
        """(N, D) raw, float32. See `vectors_of` for what goes through together."""
        return self._vectors(self._tokens(texts))

    def numbered(self, texts: Sequence[str]) -> Callable[[Ints], Tensor]:
        """See `Learner.numbered`: texts are cut into tokens once."""
        tokens = self._tokens(texts)
        return lambda numbers: self._vectors([tokens[number] for number in numbers])

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        ids: list[list[int]] = self._tokenizer(
            list(texts), truncation=True, max_length=self.settings.max_length
        )["input_ids"]
        return ids

    def _vectors(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        return vectors_of(self.network, tokens, pooling=self.pooling, pad=self._tokenizer.pad_token_id)

    def optimiser(self) -> torch.optim.Optimizer:
        """AdamW over what is learnt."""
        groups = parameter_groups(self.network.parameters(), weight_decay=self.settings.weight_decay)
        return torch.optim.AdamW(groups, lr=self.settings.learning_rate)

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write a model directory: ONNX as used, weights and tokenizer of Hugging Face's form to go on from.

        `directory/int8` is a model directory too: the same encoder, its ONNX a quarter of the size.
        """
        options: dict[str, Any] = {
            "pooling": self.pooling,
            "max_length": self.settings.max_length,
            "precision": "fp32",
        }
        if self.adapters is not None:
            options["adapters"] = self.adapters.table()

        def model(precision: str) -> Model:
            return Model(
                "transformer",
                self.settings.name if precision == "fp32" else f"{self.settings.name}-{precision}",
                int(self.network.config.hidden_size),
                "tokenizer",
                {**options, "precision": precision},
                training,
            )

        def fill(draft: Path) -> None:
            save_pretrained(self.network, draft)
            self._tokenizer.save_pretrained(draft)
            write_onnx(self.network, draft / "model.onnx")

            def narrow(inner: Path) -> None:
                quantise(draft / "model.onnx", inner / "model.onnx")
                self._tokenizer.backend_tokenizer.save(str(inner / "tokenizer.json"))

            write_model(draft / "int8", model("int8"), fill=narrow, card=card)

        with quietly(), on_cpu(self.network):
            write_model(directory, model("fp32"), fill=fill, card=card)
