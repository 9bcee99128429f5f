"""What transformers in training share: starting points, padded batches, weight decay, and saving."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import nn

from linnet.encode.export import load_pretrained, quantise, quietly, source_digest
from linnet.encode.model import MANIFEST, Model, open_model, write_model
from linnet.errors import DataError, MismatchError, RequestError, StoreError
from linnet.io.settings_files import check_at_least, check_share
from linnet.train.learners.adapters import AdapterSettings, adapter_state, insert_adapters
from linnet.train.learners.wordpiece import SPECIAL, learn_vocabulary

__all__ = [
    "Base",
    "BaseSettings",
    "build_base",
    "check_length",
    "on_cpu",
    "parameter_groups",
    "save_pretrained",
    "write_with_int8",
]

_ADAPTERS = "adapters.safetensors"
# Positions of a new transformer, as in BERT.
_POSITIONS = 512
# Initial standard deviation of BERT's weights, at its width; scaled up for narrower layers.
_SPREAD, _SPREAD_WIDTH = 0.02, 768


@dataclass(frozen=True, kw_only=True)
class BaseSettings:
    """The keys of all transformers' sections `[encoder]`: what training starts from.

    start   directory of a transformer: in Hugging Face's format, or saved by linnet
    hub     instead, a name on the Hugging Face hub; downloaded once
    first_layers
            use only so many layers of it, the lowest; None for all
    dropout probability in all layers while training, 0 for none; None for the model's own, 0.1 in most
    layers, width, heads, vocabulary
            without start and hub: size of a random BERT, whose WordPiece vocabulary is learnt from the texts
    """

    start: Path | None = None
    hub: str | None = None
    first_layers: int | None = None
    dropout: float | None = None
    layers: int = 4
    width: int = 256
    heads: int = 4
    vocabulary: int = 16_000

    def __post_init__(self) -> None:
        check_at_least(self, 1, "layers", "width", "heads", "first_layers")
        if self.dropout is not None:
            check_share(self, "dropout")
        if self.width % self.heads:
            raise ValueError(f"'width' is {self.width}; expected a multiple of 'heads', {self.heads}.")
        if self.vocabulary <= len(SPECIAL):
            raise ValueError(f"'vocabulary' is {self.vocabulary}; expected more than {len(SPECIAL)}.")
        if self.start is not None and self.hub is not None:
            raise ValueError("'start' and 'hub' are both given; expected one of them.")


@dataclass(frozen=True)
class Base:
    """What training starts from.

    network    Hugging Face's, 32-bit, attention in plain operators
    tokenizer  Hugging Face's, fast
    pooling    of the model's own settings
    adapters   in the network
    digest     changes with the weights; "" for random ones
    """

    network: Any
    tokenizer: Any
    pooling: str
    adapters: AdapterSettings | None = None
    digest: str = ""


def build_base(settings: BaseSettings, names: Iterable[str]) -> Base:
    """Load the network, or make a new one with torch's global generator.

    names  for the vocabulary of a new network

    Raises StoreError where the start is missing or unreadable, MismatchError where it is a model of another kind,
    DataError where there are no names for a vocabulary.
    """
    start, hub = settings.start, settings.hub
    if start is None and hub is None:
        new = _new(settings, names)
        _set_dropout(new.network, settings.dropout)
        return new
    if start is not None and not start.is_dir():
        raise StoreError(
            f"{start} is not a model to start from: no such directory. Check 'start', or write "
            'hub = "ORGANISATION/MODEL" for a model on the Hugging Face hub.'
        )
    options: Mapping[str, Any] = {}
    if start is not None and (start / MANIFEST).is_file():
        model = open_model(start)
        if model.kind != "transformer" or not (start / "config.json").is_file():
            exported = model.kind == "transformer"
            reason = "an export without weights" if exported else f"a model of kind '{model.kind}'"
            raise MismatchError(
                f"{start} is {reason}; expected a transformer with config.json and weights. "
                "Name a directory written by training, or one in Hugging Face's format."
            )
        options = model.options
    with quietly():
        network, tokenizer, pooling = load_pretrained(start if start is not None else str(hub))
    if getattr(network, "pooler", None) is not None:
        network.pooler = None  # an unused layer after [CLS]
    if settings.first_layers is not None:
        _keep_layers(network, settings.first_layers)
    _set_dropout(network, settings.dropout)
    if not getattr(tokenizer, "is_fast", False) or tokenizer.pad_token_id is None:
        raise StoreError(f"{start or hub} has no fast tokenizer with padding, which training needs.")
    adapters = AdapterSettings(**options["adapters"]) if "adapters" in options else None
    if adapters is not None and start is not None:
        weights = load_file(start / _ADAPTERS)
        width = next(len(weight) for key, weight in weights.items() if key.endswith("down.weight"))
        insert_adapters(network, adapters, width=width)
        network.load_state_dict(weights, strict=False)
    digest = source_digest(start) if start is not None else f"hub:{hub}"
    return Base(network, tokenizer, str(options.get("pooling", pooling)), adapters, digest)


def check_length(network: Any, *, key: str, length: int) -> None:
    """Raise RequestError where a text may have more tokens than the transformer has positions."""
    longest = getattr(network.config, "max_position_embeddings", length)
    table = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    if isinstance(table, nn.Embedding) and table.padding_idx is not None:
        longest = (
            table.num_embeddings - table.padding_idx - 1
        )  # RoBERTa and MPNet count positions after that of padding
    if length > longest:
        raise RequestError(f"'{key}' is {length}; this transformer has only {longest} positions. Lower it.")


def _keep_layers(network: Any, count: int) -> None:
    """Remove all layers but the first ones. Raises RequestError where there are fewer."""
    layers = getattr(getattr(network, "encoder", None), "layer", None)
    if not isinstance(layers, nn.ModuleList):
        raise RequestError(
            f"{type(network).__name__} has no BERT-like list of layers. Leave 'encoder.first_layers' out, or start from "
            "a BERT, RoBERTa or ELECTRA."
        )
    if count > len(layers):
        raise RequestError(
            f"'encoder.first_layers' is {count}; this transformer has {len(layers)}. Lower it."
        )
    network.encoder.layer = layers[:count]
    network.config.num_hidden_layers = count


def _set_dropout(network: Any, share: float | None) -> None:
    """Set all dropout of a network. Its configuration keeps the model's own values, for training further."""
    if share is None:
        return
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = share


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


def parameter_groups(parameters: Iterable[nn.Parameter], *, weight_decay: float) -> list[dict[str, Any]]:
    """Trained parameters in groups for AdamW: matrices decay; vectors (biases and layer norms) do not."""
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    groups = [
        {"params": [p for p in trained if p.ndim > 1], "weight_decay": weight_decay},
        {"params": [p for p in trained if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return [group for group in groups if group["params"]]


def save_pretrained(network: Any, directory: Path) -> None:
    """Write config.json and weights in Hugging Face's format, and adapters in their own file."""
    adapters = adapter_state(network)
    body = {key: value for key, value in network.state_dict().items() if key not in adapters}
    network.save_pretrained(directory, state_dict=body)
    if adapters:
        save_file(adapters, directory / _ADAPTERS)


def write_with_int8(
    directory: Path,
    model: Model,
    *,
    graphs: Sequence[str],
    tokenizer: Any,
    card: str,
    fill: Callable[[Path], None],
) -> None:
    """Write a model directory that `fill` fills, and in it `int8/`, the same model with graphs a quarter of the size."""

    def fill_both(draft: Path) -> None:
        fill(draft)

        def fill_int8(inner: Path) -> None:
            for graph in graphs:
                quantise(draft / graph, inner / graph)
            tokenizer.backend_tokenizer.save(str(inner / "tokenizer.json"))

        options = {**model.options, "precision": "int8"}
        int8 = replace(model, name=f"{model.name}-int8", options=options)
        write_model(draft / "int8", int8, fill=fill_int8, card=card)

    write_model(directory, model, fill=fill_both, card=card)


@contextmanager
def on_cpu(module: nn.Module) -> Iterator[None]:
    """The module is on the CPU inside the block."""
    device = next(module.parameters()).device
    module.to("cpu")
    try:
        yield
    finally:
        module.to(device)
