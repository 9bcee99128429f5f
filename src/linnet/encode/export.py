"""Transformers in Hugging Face's format → linnet model directories. Needs the `train` extra, once for each model.

A local directory gets a folder `linnet/` (or `linnet-int8/` …) beside its weights. The cache is used where the directory is
read-only, and for names on the hub. A changed source is exported again.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from linnet.encode.model import MANIFEST, Model, open_model, write_model
from linnet.encode.transformer import MAX_LENGTH
from linnet.errors import MissingExtraError, StoreError
from linnet.io import artifact
from linnet.system.cache import cache_directory

__all__ = [
    "Settings",
    "export_transformer",
    "exported",
    "load_pretrained",
    "quantise",
    "quietly",
    "source_digest",
    "write_onnx",
]

_WEIGHTS = ("model.safetensors", "pytorch_model.bin", "model.safetensors.index.json")
# Besides the weights, the vectors depend on these.
_SETTINGS = ("config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt", "1_Pooling/config.json")


class Settings(NamedTuple):
    """How a transformer encodes names, see `TransformerEncoder.load`. Pooling None is the model's own."""

    pooling: str | None = None
    max_length: int = MAX_LENGTH
    precision: str = "fp32"


def exported(name_or_path: str | Path, settings: Settings) -> Path:
    """The model directory of a transformer, exported now if missing or outdated. Raises as `export_transformer`."""
    source = Path(name_or_path)
    cached = cache_directory() / "models"
    if source.is_dir():
        origin = source_digest(source)
        homes = [source, cached / f"{source.resolve().name}-{origin[:12]}"]
        home = source if os.access(source, os.W_OK) else homes[1]
    else:
        origin = str(name_or_path)
        homes = [home := cached / origin.replace("/", "--")]
    folder = _folder(settings)
    for place in (home / folder for home in homes):
        if (place / MANIFEST).is_file() and open_model(place, checked=False).options.get("source") == origin:
            return place
    if settings == Settings():
        export_transformer(name_or_path, home / folder, origin=origin)
    else:
        _derive(exported(name_or_path, Settings()), home / folder, settings)
    return home / folder


def export_transformer(name_or_path: str | Path, path: Path, *, origin: str) -> Model:
    """Write a model directory from a directory with config.json, or from a name on the hub, which is downloaded.

    origin  identifies the source's version

    Raises MissingExtraError without the `train` extra, StoreError where the source cannot be loaded or the disk refuses.
    """
    with quietly():
        network, tokenizer, pooling = load_pretrained(name_or_path)

        def fill(draft: Path) -> None:
            write_onnx(network, draft / "model.onnx")
            tokenizer.backend_tokenizer.save(str(draft / "tokenizer.json"))

        name = Path(name_or_path).resolve().name if Path(name_or_path).is_dir() else str(name_or_path)
        options = {**Settings(pooling)._asdict(), "source": origin}
        model = Model("transformer", name, int(network.config.hidden_size), "tokenizer", options)
        return write_model(path, model, fill=fill)


def _derive(plain: Path, path: Path, settings: Settings) -> None:
    """Write the same model with other settings, without torch; int8 needs `onnx`."""
    model = open_model(plain)
    changed = {key: value for key, value in settings._asdict().items() if value is not None}

    def fill(draft: Path) -> None:
        shutil.copyfile(plain / "tokenizer.json", draft / "tokenizer.json")
        if settings.precision == "int8":
            quantise(plain / "model.onnx", draft / "model.onnx")
        else:
            shutil.copyfile(plain / "model.onnx", draft / "model.onnx")

    with quietly():
        write_model(path, replace(model, options={**model.options, **changed}, digest=""), fill=fill)


def load_pretrained(name_or_path: str | Path) -> tuple[Any, Any, str]:
    """The network (32-bit, attention in plain operators), its tokenizer, and its own pooling. Raises as `export_transformer`."""
    try:
        import onnx  # noqa: F401
        import onnxscript  # noqa: F401
        import torch
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils.hub import cached_file
    except ModuleNotFoundError:
        raise MissingExtraError(f"Exporting '{name_or_path}' to ONNX", "train") from None
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(name_or_path), use_fast=True)
        # Every ONNX version has the operators of plain attention.
        network = AutoModel.from_pretrained(
            str(name_or_path), attn_implementation="eager", dtype=torch.float32
        )
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        what = f"'{name_or_path}' cannot be loaded as a transformer"
        expected = "a directory with config.json, tokenizer and weights"
        if Path(name_or_path).is_dir():
            raise StoreError(f"{what}: {reason} Expected {expected}. Check the path.") from None
        raise StoreError(
            f"{what}: there is no such directory, and as a name on Hugging Face: {reason} "
            f"Check the path, or the name and the network connection; expected {expected}."
        ) from None
    own = cached_file(str(name_or_path), "1_Pooling/config.json", _raise_exceptions_for_missing_entries=False)
    return network, tokenizer, _own_pooling(own)


def write_onnx(network: Any, file: Path) -> None:
    """Write the graph `input_ids` (N, L) → `states` (N, L, D). The network's mode does not change."""
    import torch

    class States(torch.nn.Module):  # type: ignore[misc,unused-ignore]  # Any without torch
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, input_ids: Any) -> Any:
            return self.network(input_ids=input_ids).last_hidden_state

    modes = {module: module.training for module in network.modules()}
    states = States().eval()
    dynamic = torch.export.Dim.DYNAMIC
    try:
        torch.onnx.export(
            states,
            (torch.ones((2, 7), dtype=torch.int64),),
            str(file),
            input_names=["input_ids"],
            output_names=["states"],
            dynamic_shapes={"input_ids": {0: dynamic, 1: dynamic}},
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    finally:
        for module, training in modes.items():  # exporting can change modes
            module.training = training
    _drop_traces(file)


def _drop_traces(file: Path) -> None:
    """Remove the exporter's stack traces, which contain paths of this machine."""
    import onnx

    model = onnx.load(str(file))
    for graph in (model.graph, *model.functions):
        for node in graph.node:
            node.ClearField("metadata_props")
            node.ClearField("doc_string")
    onnx.save(model, str(file))


def quantise(wide: Path, narrow: Path) -> None:
    """32-bit weights → 8-bit; activations are quantised at run time. Raises MissingExtraError without the `train` extra."""
    try:
        from onnxruntime.quantization import QuantType, quantize_dynamic
    except ModuleNotFoundError:
        raise MissingExtraError("Quantising to int8", "train") from None
    # Signed weights overflow on processors without VNNI. Unsigned, by column: cosine 0.992 to fp32 on the mean of
    # MiniLM's vectors of 600 mentions, the worst 0.971; signed 0.990 and 0.961; by matrix 0.979 and 0.930.
    quantize_dynamic(str(wide), str(narrow), weight_type=QuantType.QUInt8, per_channel=True)


def source_digest(source: Path) -> str:
    """32 hex digits that change with a transformer's weights (by size and CRC-32) and settings."""
    files = [source / name for name in (*_WEIGHTS, *_SETTINGS) if (source / name).is_file()]
    files += sorted(source.glob("model-*.safetensors"))
    return artifact.digest(json.dumps(artifact.describe(source, files), sort_keys=True))


def _own_pooling(file: str | None) -> str:
    """The pooling of a sentence-transformers model; otherwise "cls", as in SapBERT."""
    if file is None:
        return "cls"
    try:
        settings = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StoreError(f"{file} cannot be read: {error}. Fetch the model again.") from None
    return "mean" if settings.get("pooling_mode_mean_tokens") else "cls"


def _folder(settings: Settings) -> str:
    """`linnet`, followed by the settings that are not defaults."""
    changed = [str(value) for value, default in zip(settings, Settings(), strict=True) if value != default]
    return "-".join(["linnet", *changed])


@contextmanager
def quietly() -> Iterator[None]:
    """Silence other libraries' warnings, log lines and progress bars during loading and exporting."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        from transformers.utils import logging as bars
    except ModuleNotFoundError:
        shown = False
    else:
        shown = bars.is_progress_bar_enabled()
        bars.disable_progress_bar()  # type: ignore[no-untyped-call,unused-ignore]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
        if shown:
            bars.enable_progress_bar()  # type: ignore[no-untyped-call,unused-ignore]
