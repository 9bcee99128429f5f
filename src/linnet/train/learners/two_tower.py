"""Two transformers in training: one for mentions in context, one for entities with definitions (TrainX)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from linnet.arrays import Floats
from linnet.encode.export import quietly, write_onnx
from linnet.encode.markers import MARKERS, Marked
from linnet.encode.model import MANIFEST, Model, open_model
from linnet.encode.two_tower import ENTITY, MENTION, TOKENIZER
from linnet.errors import RequestError
from linnet.io.settings_files import check_at_least
from linnet.train.learners.adamw import SparseRowsAdamW
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
from linnet.types import Mention

__all__ = ["TwoTowerLearner", "TwoTowerSettings"]

# Folders of a model directory with the towers in Hugging Face's format, to train further.
_MENTION, _ENTITY = "mention", "entity"


@dataclass(frozen=True, kw_only=True)
class TwoTowerSettings(BaseSettings):
    """The section `[encoder]` of a run file with task = "two-tower".

    name, start, hub, first_layers, dropout, layers, width, heads, vocabulary, learning_rate, weight_decay
                as for a transformer; `start` may also be a two-tower model
    shared      one network for both, instead of two that start alike
    max_length  tokens of a mention with context, or of an entity with definition, markers included
    """

    name: str = "two-tower"
    shared: bool = False
    max_length: int = 50
    learning_rate: float = 5e-5
    weight_decay: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 5, "max_length")


class MarkedEmbedding(nn.Module):
    """A frozen table of token vectors in which only the markers' rows, which are consecutive, are trained."""

    def __init__(self, frozen: nn.Embedding, *, first: int, count: int) -> None:
        super().__init__()
        self.frozen, self._first = frozen, first
        frozen.weight.requires_grad_(False)
        self.rows = nn.Parameter(frozen.weight[first : first + count].detach().clone())

    def forward(self, ids: Tensor) -> Tensor:
        """(…, D) vectors of (…) token ids."""
        place = ids - self._first
        marked = (place >= 0) & (place < len(self.rows))
        own = nn.functional.embedding(place.clamp(0, len(self.rows) - 1), self.rows)
        return torch.where(marked[..., None], own, self.frozen(ids))

    def plain(self) -> nn.Embedding:
        """The table with the trained rows in their places."""
        with torch.no_grad():
            self.frozen.weight[self._first : self._first + len(self.rows)] = self.rows
        return self.frozen


class TwoTowerLearner(nn.Module):
    """Mentions and entities → vectors of [CLS]; of the embeddings, only the markers' rows are trained.

    marked  tokenises both
    """

    def __init__(self, settings: TwoTowerSettings, names: Iterable[str], *, seed: int) -> None:
        """
        names  for a new vocabulary
        seed   of random weights

        Raises as `linnet.train.learners.pretrained.build_base`, and RequestError where the network is not BERT-like.
        """
        super().__init__()
        torch.manual_seed(seed)
        self.settings = settings
        start, second = settings.start, None
        if start is not None and (start / MANIFEST).is_file() and open_model(start).kind == "two-tower":
            start, second = start / _MENTION, start / _ENTITY
        base = build_base(replace(settings, start=start), names)
        self._tokenizer, self.digest = base.tokenizer, base.digest
        self._tokenizer.add_tokens(list(MARKERS), special_tokens=True)
        self.mention = self._prepared(base.network)
        if settings.shared:
            self.entity = self.mention
        elif second is not None and second.is_dir():
            other = build_base(replace(settings, start=second), ())
            self.digest += other.digest
            self.entity = self._prepared(other.network)
        else:
            self.entity = deepcopy(self.mention)
        check_length(self.mention, key="encoder.max_length", length=settings.max_length)
        self.marked = Marked(
            deepcopy(self._tokenizer.backend_tokenizer), **self._ends(), max_length=settings.max_length
        )

    def _prepared(self, network: Any) -> Any:
        """Add trained rows for the markers, and freeze the other embeddings."""
        embeddings = getattr(network, "embeddings", None)
        first, *others = self._tokenizer.convert_tokens_to_ids(list(MARKERS))
        if not isinstance(embeddings, nn.Module) or others != [first + 1, first + 2]:
            raise RequestError(
                f"{type(network).__name__} is not BERT-like, so its embeddings cannot be frozen. "
                "Start from a BERT, RoBERTa or ELECTRA."
            )
        if first + len(MARKERS) > network.config.vocab_size:
            network.resize_token_embeddings(first + len(MARKERS), mean_resizing=False)
        for parameter in embeddings.parameters():
            parameter.requires_grad_(False)
        network.set_input_embeddings(
            MarkedEmbedding(network.get_input_embeddings(), first=first, count=len(MARKERS))
        )
        return network

    def _ends(self) -> dict[str, str]:
        return {"first": str(self._tokenizer.cls_token), "last": str(self._tokenizer.sep_token)}

    def mention_vectors(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """(N, D) raw, of token ids from `marked.mentions`."""
        return vectors_of(self.mention, tokens, pooling="cls", pad=self._tokenizer.pad_token_id)

    def entity_vectors(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """(N, D) raw, of token ids from `marked.entities`."""
        return vectors_of(self.entity, tokens, pooling="cls", pad=self._tokenizer.pad_token_id)

    @torch.no_grad()
    def encode_mentions(self, mentions: Sequence[Mention]) -> Floats:
        """(N, D) raw, as from `linnet.encode.two_tower` if the module is in evaluation mode."""
        vectors: Floats = self.mention_vectors(self.marked.mentions(mentions)).cpu().numpy()
        return vectors

    @torch.no_grad()
    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> Floats:
        """(N, D) raw, likewise."""
        vectors: Floats = self.entity_vectors(self.marked.entities(names, definitions)).cpu().numpy()
        return vectors

    def optimiser(self) -> torch.optim.Optimizer:
        """AdamW over the trained parameters; the markers' rows do not decay."""
        rows = {id(module.rows) for module in self.modules() if isinstance(module, MarkedEmbedding)}
        groups = parameter_groups(
            (parameter for parameter in self.parameters() if id(parameter) not in rows),
            weight_decay=self.settings.weight_decay,
        )
        markers = [parameter for parameter in self.parameters() if id(parameter) in rows]
        groups.append({"params": markers, "weight_decay": 0.0})
        return SparseRowsAdamW(groups, lr=self.settings.learning_rate)

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write a model directory for `linnet.encode.two_tower`, with the towers in folders to train further.

        `directory/int8` is a model directory too, its graphs a quarter of the size.
        """
        settings = self.settings
        options = {
            **self._ends(),
            "max_length": settings.max_length,
            "shared": settings.shared,
            "precision": "fp32",
        }
        dimensions = int(self.mention.config.hidden_size)
        model = Model("two-tower", settings.name, dimensions, "tokenizer", options, training)
        towers = [(self.mention, MENTION, _MENTION)]
        if not settings.shared:
            towers.append((self.entity, ENTITY, _ENTITY))

        def fill(draft: Path) -> None:
            for network, graph, folder in towers:
                with _plain(network):
                    save_pretrained(network, draft / folder)
                    write_onnx(network, draft / graph)
                self._tokenizer.save_pretrained(draft / folder)
            self._tokenizer.backend_tokenizer.save(str(draft / TOKENIZER))

        graphs = [graph for _, graph, _ in towers]
        with quietly(), on_cpu(self):
            write_with_int8(directory, model, graphs=graphs, tokenizer=self._tokenizer, card=card, fill=fill)


@contextmanager
def _plain(network: Any) -> Iterator[None]:
    """The network with a plain table of token vectors, as it is saved, inside the block."""
    marked = network.get_input_embeddings()
    network.set_input_embeddings(marked.plain())
    try:
        yield
    finally:
        network.set_input_embeddings(marked)
