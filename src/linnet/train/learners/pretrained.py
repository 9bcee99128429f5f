"""What transformers under training have in common: where they start, padded batches, decay, and how they are kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from linnet.encode.export import load_pretrained, quietly, source_digest
from linnet.encode.model import MANIFEST, open_model
from linnet.errors import DataError, MismatchError, RequestError, StoreError
from linnet.train.learners.adapters import AdapterSettings, adapter_state, insert_adapters
from linnet.train.learners.vocabulary import SPECIAL, learn_vocabulary

__all__ = [
    "Base",
    "BaseSettings",
    "build_base",
    "check_length",
    "on_cpu",
    "padded",
    "parameter_groups",
    "save_pretrained",
    "vectors_of",
]

_ADAPTERS = "adapters.safetensors"
# Positions a transformer built from nothing has, as BERT.
_POSITIONS = 512
# Standard deviation of BERT's weights at the beginning, at its width; scaled so that narrow layers pass on as much.
_SPREAD, _SPREAD_WIDTH = 0.02, 768
# Texts of similar length that run together: where no gradient is wanted, and where one is, on a CPU. Names are short but
# for a few, to whose length a whole batch would be padded.
_TOGETHER, _LEARNT_TOGETHER = 256, 32


@dataclass(frozen=True, kw_only=True)
class BaseSettings:
    """What the sections `[encoder]` of all transformers have: what training starts from.

    start   directory of a transformer to go on from: of Hugging Face's form, or one that linnet saved
    hub     name on the Hugging Face hub to go on from instead, downloaded once
    layers, width, heads, vocabulary
            without start and hub: a BERT of this size, random, its WordPiece vocabulary learnt from the texts
    """

    start: Path | None = None
    hub: str | None = None
    layers: int = 4
    width: int = 256
    heads: int = 4
    vocabulary: int = 16_000

    def __post_init__(self) -> None:
        for key in ("layers", "width", "heads"):
            if getattr(self, key) < 1:
                raise ValueError(f"'{key}' is {getattr(self, key)}; expected 1 or more.")
        if self.width % self.heads:
            raise ValueError(f"'width' is {self.width}; expected a multiple of 'heads', {self.heads}.")
        if self.vocabulary <= len(SPECIAL):
            raise ValueError(f"'vocabulary' is {self.vocabulary}; expected more than {len(SPECIAL)}.")
        if self.start is not None and self.hub is not None:
            raise ValueError("'start' and 'hub' are both given; expected one of them.")


@dataclass(frozen=True)
class Base:
    """What training starts from.

    network    of Hugging Face's form, 32-bit, attention in plain operators
    tokenizer  of Hugging Face's form, a fast one
    pooling    that the model's own settings ask for
    adapters   those in the network
    digest     changes with the weights; "" for random ones
    """

    network: Any
    tokenizer: Any
    pooling: str
    adapters: AdapterSettings | None = None
    digest: str = ""


def build_base(settings: BaseSettings, names: Iterable[str]) -> Base:
    """Load or make the network. torch's own generator draws what is random.

    names  what the vocabulary of a new one is learnt from

    Raises StoreError where the start is missing or cannot be read, MismatchError where it is a model of another kind,
    DataError where there are no names to learn a vocabulary from.
    """
    start, hub = settings.start, settings.hub
    if start is None and hub is None:
        return _new(settings, names)
    if start is not None and not start.is_dir():
        raise StoreError(
            f"{start} is not a model to start from: no such directory. Check 'start', or write "
            'hub = "ORGANISATION/MODEL" for one on the Hugging Face hub.'
        )
    options: Mapping[str, Any] = {}
    if start is not None and (start / MANIFEST).is_file():
        model = open_model(start)
        if model.kind != "transformer" or not (start / "config.json").is_file():
            reason = (
                f"a model of kind '{model.kind}'"
                if model.kind != "transformer"
                else "an export without weights"
            )
            raise MismatchError(
                f"{start} is {reason}; expected a transformer with config.json and weights. "
                "Name the directory that training wrote, or the one of Hugging Face's form."
            )
        options = model.options
    with quietly():
        network, tokenizer, pooling = load_pretrained(start if start is not None else str(hub))
    if getattr(network, "pooler", None) is not None:
        network.pooler = None  # a layer behind [CLS] for another purpose
    if not getattr(tokenizer, "is_fast", False) or tokenizer.pad_token_id is None:
        raise StoreError(f"{start or hub} has no fast tokenizer with padding, which training needs.")
    adapters = AdapterSettings(**options["adapters"]) if "adapters" in options else None
    if adapters is not None and start is not None:
        learnt = load_file(start / _ADAPTERS)
        width = next(len(weight) for key, weight in learnt.items() if key.endswith("down.weight"))
        insert_adapters(network, adapters, width=width)
        network.load_state_dict(learnt, strict=False)
    digest = source_digest(start) if start is not None else f"hub:{hub}"
    return Base(network, tokenizer, str(options.get("pooling", pooling)), adapters, digest)


def check_length(network: Any, *, key: str, length: int) -> None:
    """Raise RequestError where a text may have more tokens than the transformer has positions."""
    longest = getattr(network.config, "max_position_embeddings", length)
    if length > longest:
        raise RequestError(f"'{key}' is {length}; this transformer has {longest} positions. Write fewer.")


def _new(settings: BaseSettings, names: Iterable[str]) -> Base:
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    pieces = learn_vocabulary(names, size=settings.vocabulary)
    if len(pieces) <= len(SPECIAL):
        raise DataError(
            "there are no names to learn a vocabulary from. Name a terminology, or a model to start from."
        )
    cutter = BertWordPieceTokenizer(vocab={piece: i for i, piece in enumerate(pieces)}, lowercase=True)
    roles = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=cutter._tokenizer, **dict(zip(roles, SPECIAL, strict=True))
    )
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=settings.width,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=4 * settings.width,
        max_position_embeddings=_POSITIONS,
        initializer_range=_SPREAD * math.sqrt(_SPREAD_WIDTH / settings.width),
    )
    network = BertModel(config, add_pooling_layer=False)
    network.set_attn_implementation("eager")
    return Base(network, tokenizer, "cls")


def padded(tokens: Sequence[Sequence[int]], *, pad: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """(N, L) token ids, filled up with `pad` to the longest, and (N, L) 1 where there is a token."""
    longest = max((len(ids) for ids in tokens), default=0)
    ids = torch.tensor([[*ids, *[pad] * (longest - len(ids))] for ids in tokens], dtype=torch.long)
    lengths = torch.tensor([len(ids) for ids in tokens])
    mask = (torch.arange(longest)[None] < lengths[:, None]).long()
    return ids.to(device), mask.to(device)


def vectors_of(network: Any, tokens: Sequence[Sequence[int]], *, pooling: str, pad: int) -> Tensor:
    """(N, D) float32 of N sequences of token ids: the first token's, or the mean of all.

    They go through in parts of similar length, but for those that a GPU learns from.
    """
    size = _TOGETHER
    if torch.is_grad_enabled():
        size = _LEARNT_TOGETHER if network.device.type == "cpu" else len(tokens)
    if len(tokens) <= size:
        return _pooled(network, tokens, pooling, pad)
    order = np.argsort([len(ids) for ids in tokens], kind="stable")
    parts = [
        _pooled(network, [tokens[place] for place in order[start : start + size]], pooling, pad)
        for start in range(0, len(order), size)
    ]
    places = torch.from_numpy(np.argsort(order, kind="stable"))
    together = torch.cat(parts)
    return together[places.to(together.device)]


def _pooled(network: Any, tokens: Sequence[Sequence[int]], pooling: str, pad: int) -> Tensor:
    ids, mask = padded(tokens, pad=pad, device=network.device)
    states: Tensor = network(input_ids=ids, attention_mask=mask).last_hidden_state.float()
    if pooling == "cls":
        return states[:, 0]
    weights = mask[:, :, None].to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1)


def parameter_groups(parameters: Iterable[nn.Parameter], *, weight_decay: float) -> list[dict[str, Any]]:
    """Groups for AdamW of what is learnt: matrices decay; vectors, which are biases and layer norms, do not."""
    learnt = [parameter for parameter in parameters if parameter.requires_grad]
    groups = [
        {"params": [p for p in learnt if p.ndim > 1], "weight_decay": weight_decay},
        {"params": [p for p in learnt if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return [group for group in groups if group["params"]]


def save_pretrained(network: Any, directory: Path) -> None:
    """Write config.json and weights of Hugging Face's form, and adapters to a file of their own."""
    adapters = adapter_state(network)
    body = {key: value for key, value in network.state_dict().items() if key not in adapters}
    network.save_pretrained(directory, state_dict=body)
    if adapters:
        save_file(adapters, directory / _ADAPTERS)


@contextmanager
def on_cpu(module: nn.Module) -> Iterator[None]:
    """The module on the CPU for a while."""
    device = next(module.parameters()).device
    module.to("cpu")
    try:
        yield
    finally:
        module.to(device)
