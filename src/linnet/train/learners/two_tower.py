"""Two transformers under training: one for mentions in their context, one for entities with their definition (TrainX)."""

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
from linnet.encode.export import quantise, quietly, write_onnx
from linnet.encode.markers import MARKERS, Marked
from linnet.encode.model import MANIFEST, Model, open_model, write_model
from linnet.encode.two_tower import ENTITY, MENTION, TOKENIZER
from linnet.errors import RequestError
from linnet.train.learners.pretrained import (
    BaseSettings,
    build_base,
    check_length,
    on_cpu,
    parameter_groups,
    save_pretrained,
    vectors_of,
)
from linnet.types import Mention

__all__ = ["TwoTowerLearner", "TwoTowerSettings"]

# Folders of a model directory with what training goes on from, of Hugging Face's form.
_MENTION, _ENTITY = "mention", "entity"


@dataclass(frozen=True, kw_only=True)
class TwoTowerSettings(BaseSettings):
    """The section `[encoder]` of a run file with task = "two-tower".

    name, start, hub, layers, width, heads, vocabulary, learning_rate, weight_decay
                as for a transformer; `start` may also be a two-tower model
    shared      one network for both, instead of two that begin alike
    max_length  tokens of a mention with context, or of an entity with definition, markers included
    """

    name: str = "two-tower"
    shared: bool = False
    max_length: int = 50
    learning_rate: float = 5e-5
    weight_decay: float = 0.01

    def __post_init__(self) -> None:
        BaseSettings.__post_init__(self)
        if self.max_length < 5:
            raise ValueError(f"'max_length' is {self.max_length}; expected 5 or more.")


class MarkedEmbedding(nn.Module):
    """A frozen table of token vectors in which some neighbouring rows, those of the markers, are learnt."""

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
        """The table with the learnt rows in their places."""
        with torch.no_grad():
            self.frozen.weight[self._first : self._first + len(self.rows)] = self.rows
        return self.frozen


class TwoTowerLearner(nn.Module):
    """Mentions and entities → vectors, that of [CLS]; embeddings stay as they are but for the markers' rows.

    marked  cuts both into token ids
    """

    def __init__(self, settings: TwoTowerSettings, names: Iterable[str], *, seed: int) -> None:
        """
        names  what a new vocabulary is learnt from
        seed   of weights that are drawn

        Raises as `linnet.train.learners.pretrained.build_base`, and RequestError where the network is of another form.
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
        """With rows for the markers, and frozen embeddings otherwise."""
        embeddings = getattr(network, "embeddings", None)
        first, *others = self._tokenizer.convert_tokens_to_ids(list(MARKERS))
        if not isinstance(embeddings, nn.Module) or others != [first + 1, first + 2]:
            raise RequestError(
                f"{type(network).__name__} is not of BERT's form, so its embeddings cannot be frozen. "
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
        """(N, D) raw, of what `marked.mentions` gives."""
        return vectors_of(self.mention, tokens, pooling="cls", pad=self._tokenizer.pad_token_id)

    def entity_vectors(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """(N, D) raw, of what `marked.entities` gives."""
        return vectors_of(self.entity, tokens, pooling="cls", pad=self._tokenizer.pad_token_id)

    @torch.no_grad()
    def encode_mentions(self, mentions: Sequence[Mention]) -> Floats:
        """(N, D) raw, as `linnet.encode.two_tower` encodes; in evaluation mode by whoever asks."""
        vectors: Floats = self.mention_vectors(self.marked.mentions(mentions)).cpu().numpy()
        return vectors

    @torch.no_grad()
    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> Floats:
        """(N, D) raw, likewise."""
        vectors: Floats = self.entity_vectors(self.marked.entities(names, definitions)).cpu().numpy()
        return vectors

    def optimiser(self) -> torch.optim.Optimizer:
        """AdamW over what is learnt; the markers' rows do not decay."""
        rows = {id(module.rows) for module in self.modules() if isinstance(module, MarkedEmbedding)}
        groups = parameter_groups(
            (parameter for parameter in self.parameters() if id(parameter) not in rows),
            weight_decay=self.settings.weight_decay,
        )
        markers = [parameter for parameter in self.parameters() if id(parameter) in rows]
        groups.append({"params": markers, "weight_decay": 0.0})
        return torch.optim.AdamW(groups, lr=self.settings.learning_rate)

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write a model directory for `linnet.encode.two_tower`, with what training goes on from in folders.

        `directory/int8` is a model directory too, its graphs a quarter of the size.
        """
        settings = self.settings
        options = {**self._ends(), "max_length": settings.max_length, "shared": settings.shared}
        towers = [(self.mention, MENTION, _MENTION)]
        if not settings.shared:
            towers.append((self.entity, ENTITY, _ENTITY))

        def model(precision: str) -> Model:
            return Model(
                "two-tower",
                settings.name if precision == "fp32" else f"{settings.name}-{precision}",
                int(self.mention.config.hidden_size),
                "tokenizer",
                {**options, "precision": precision},
                training,
            )

        def fill(draft: Path) -> None:
            for network, graph, folder in towers:
                with _plain(network):
                    save_pretrained(network, draft / folder)
                    write_onnx(network, draft / graph)
                self._tokenizer.save_pretrained(draft / folder)
            self._tokenizer.backend_tokenizer.save(str(draft / TOKENIZER))

            def narrow(inner: Path) -> None:
                for _, graph, _ in towers:
                    quantise(draft / graph, inner / graph)
                self._tokenizer.backend_tokenizer.save(str(inner / TOKENIZER))

            write_model(draft / "int8", model("int8"), fill=narrow, card=card)

        with quietly(), on_cpu(self):
            write_model(directory, model("fp32"), fill=fill, card=card)


@contextmanager
def _plain(network: Any) -> Iterator[None]:
    """The network with one table of token vectors, as it is kept and used."""
    marked = network.get_input_embeddings()
    network.set_input_embeddings(marked.plain())
    try:
        yield
    finally:
        network.set_input_embeddings(marked)
