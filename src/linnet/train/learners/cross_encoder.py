"""A cross-encoder in training: a transformer and a score for its first vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from linnet.encode.export import quantise, quietly, write_onnx
from linnet.rerank.cross_encoder import GRAPH, HEAD, TOKENIZER
from linnet.rerank.cross_inputs import CANDIDATE, MENTION, PairTokens
from linnet.rerank.tokens import END, START
from linnet.train.learners.adamw import SparseRowsAdamW
from linnet.train.learners.pretrained import (
    BaseSettings,
    build_base,
    check_length,
    on_cpu,
    parameter_groups,
)
from linnet.train.learners.vectors import vectors_of
from linnet.train.learners.vocabulary import cut_vocabulary

__all__ = ["CrossEncoderLearner", "CrossEncoderSettings"]


@dataclass(frozen=True, kw_only=True)
class CrossEncoderSettings(BaseSettings):
    """The section `[encoder]` of a run file with task = "cross-encoder".

    start, hub, first_layers, dropout, layers, width, heads, vocabulary
                   see `BaseSettings`; a new vocabulary is learnt from the names of candidates
    pieces         word pieces to keep of a start's vocabulary: those most frequent in the training data, and all single
                   characters; None for all
    learning_rate  of the transformer        head_rate  of the score and of the first reranker's weight
    weight_decay   of AdamW
    precision      of the stored graph: fp32, or int8 (a quarter of the size)
    """

    pieces: int | None = None
    learning_rate: float = 5e-5
    head_rate: float = 1e-3
    weight_decay: float = 0.01
    precision: Literal["fp32", "int8"] = "int8"


class CrossEncoderLearner(nn.Module):
    """Scores of mentions with candidates, see `linnet.rerank.cross_encoder`.

    tokens  tokenises mentions and candidates
    """

    def __init__(self, settings: CrossEncoderSettings, texts: Iterable[str], *, seed: int) -> None:
        """
        texts  of the training data, for a vocabulary

        Raises as `build_base`, and RequestError where the transformer has too few positions.
        """
        super().__init__()
        torch.manual_seed(seed)
        self.settings = settings
        texts = list(texts)
        base = build_base(settings, texts)
        check_length(base.network, key="encoder", length=MENTION + CANDIDATE)
        self.network, self._tokenizer = base.network, base.tokenizer
        if settings.pieces is not None:
            self._tokenizer = cut_vocabulary(self.network, self._tokenizer, texts, size=settings.pieces)
        self._tokenizer.add_special_tokens({"additional_special_tokens": [START, END]})
        self.network.resize_token_embeddings(len(self._tokenizer), mean_resizing=False)
        self.network.get_input_embeddings().sparse = True
        self.digest = base.digest
        self.dimensions = int(base.network.config.hidden_size)
        self.head = nn.Linear(self.dimensions, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)
        self.weight = nn.Parameter(torch.ones(1))
        self.tokens = PairTokens(deepcopy(self._tokenizer.backend_tokenizer), **self._marks())

    def _marks(self) -> dict[str, str]:
        return {"first": str(self._tokenizer.cls_token), "between": str(self._tokenizer.sep_token)}

    def forward(self, pairs: Sequence[Sequence[int]]) -> Tensor:
        """(M,) scores of sequences of token ids."""
        vectors = vectors_of(self.network, pairs, pooling="cls", pad=self._tokenizer.pad_token_id)
        scores: Tensor = self.head(vectors)[:, 0]
        return scores

    def optimiser(self) -> torch.optim.Optimizer:
        """AdamW; vectors, the score and the weight do not decay."""
        wanted = self.settings
        groups = parameter_groups(self.network.parameters(), weight_decay=wanted.weight_decay)
        for group in groups:
            group["lr"] = wanted.learning_rate
        own = [*self.head.parameters(), self.weight]
        groups.append({"params": own, "weight_decay": 0.0, "lr": wanted.head_rate})
        return SparseRowsAdamW(groups, lr=wanted.learning_rate)

    def write(self, draft: Path) -> Mapping[str, Any]:
        """Write graph, tokenizer and head into a directory; returns the model's options for them."""
        int8 = self.settings.precision == "int8"
        with quietly(), on_cpu(self):
            wide = draft / f"wide-{GRAPH}" if int8 else draft / GRAPH
            write_onnx(self.network, wide)
            if int8:
                quantise(wide, draft / GRAPH)
                wide.unlink()
            head = torch.cat([self.head.weight.detach()[0], self.head.bias.detach()])
            save_file({"head": head, "weight": self.weight.detach().clone()}, draft / HEAD)
        self._tokenizer.backend_tokenizer.save(str(draft / TOKENIZER))
        marks = self._marks()
        return {
            "precision": self.settings.precision,
            "first_token": marks["first"],
            "between_token": marks["between"],
        }
