"""Adapters: small bottlenecks in every layer of a frozen transformer.

    kind       where, in each layer                                             bottlenecks
    houlsby    after the attention and after the feed-forward network            2
    pfeiffer   after the feed-forward network                                    1

Each is x + up(activation(down(x))), before the residual sum and its layer norm, and is the identity before training.
Sources: Houlsby et al. 2019 §2.1; Pfeiffer et al. 2021 §3.1, placed as in Houlsby and without extra layer norm. The width
follows from the wanted share of the full parameters: SapBERT compares 13 % and 1 % (table 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from torch import Tensor, nn
from torch.nn.functional import gelu, relu

from linnet.errors import RequestError

__all__ = [
    "SIZES",
    "AdapterSettings",
    "Bottleneck",
    "adapter_parameters",
    "adapter_state",
    "insert_adapters",
]

SIZES = {"large": 0.13, "small": 0.01}
"""Name → share of the full parameters, as in SapBERT table 1."""


@dataclass(frozen=True, kw_only=True)
class AdapterSettings:
    """The section `[encoder.adapters]`.

    size      "large" (13 % of the parameters of the transformer) or "small" (1 %)
    fraction  another share instead, above 0 to 1
    """

    kind: Literal["houlsby", "pfeiffer"] = "houlsby"
    size: Literal["large", "small"] = "large"
    fraction: float | None = None

    def __post_init__(self) -> None:
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise ValueError(f"'fraction' is {self.fraction}; expected above 0 to 1.")

    def table(self) -> dict[str, Any]:
        """For the model directory's manifest."""
        return {key: value for key, value in asdict(self).items() if value is not None}


class Bottleneck(nn.Module):
    """(…, D) x + up(activation(down(x))), down to `width`; the identity before training."""

    def __init__(self, dimensions: int, width: int, *, kind: str) -> None:
        super().__init__()
        self.down, self.up = nn.Linear(dimensions, width), nn.Linear(width, dimensions)
        self._activation = gelu if kind == "houlsby" else relu
        nn.init.normal_(self.down.weight, std=0.02)
        for zero in (self.down.bias, self.up.weight, self.up.bias):
            nn.init.zeros_(zero)

    def forward(self, states: Tensor) -> Tensor:
        """See the class."""
        result: Tensor = states + self.up(self._activation(self.down(states)))
        return result


def insert_adapters(network: nn.Module, settings: AdapterSettings, *, width: int | None = None) -> int:
    """Put adapters into every layer; returns the width of their bottlenecks.

    width  of already trained adapters; None to derive it from the share of the parameters

    Raises RequestError where the network has no layers of BERT's form.
    """
    places = list(_places(network, settings.kind))
    if not places:
        raise RequestError(
            f"{type(network).__name__} has no BERT-like layers (output.dense, dropout, LayerNorm) for adapters. "
            "Leave 'encoder.adapters' out, or start from a BERT, RoBERTa or ELECTRA."
        )
    dimensions = int(places[0].dense.out_features)
    if width is None:
        share = settings.fraction if settings.fraction is not None else SIZES[settings.size]
        total = sum(parameter.numel() for parameter in network.parameters())
        # A bottleneck of width w has 2·D·w weights and w + D biases.
        width = max(1, round((share * total / len(places) - dimensions) / (2 * dimensions + 1)))
    for place in places:
        adapter = Bottleneck(dimensions, width, kind=settings.kind)
        place.dropout = nn.Sequential(place.dropout, adapter.to(place.dense.weight.device))
    return width


def adapter_parameters(network: nn.Module) -> list[nn.Parameter]:
    """The parameters of all adapters of a network."""
    return [
        parameter
        for module in network.modules()
        if isinstance(module, Bottleneck)
        for parameter in module.parameters()
    ]


def adapter_state(network: nn.Module) -> dict[str, Tensor]:
    """The adapters' entries of the network's `state_dict`."""
    heads = tuple(f"{name}." for name, module in network.named_modules() if isinstance(module, Bottleneck))
    return {key: value for key, value in network.state_dict().items() if heads and key.startswith(heads)}


def _places(network: nn.Module, kind: str) -> Iterator[Any]:
    """The blocks that end in dense, dropout, residual sum and layer norm; the attention's are named `attention.output`."""
    for name, module in network.named_modules():
        if all(hasattr(module, part) for part in ("dense", "dropout", "LayerNorm")):
            attention = name.endswith("attention.output")
            if isinstance(module.dense, nn.Linear) and (kind == "houlsby" or not attention):
                yield module
